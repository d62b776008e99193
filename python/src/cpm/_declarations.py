"""What libcpm declares. Made of cpm/cpm.h by declare.py; do not edit."""
from ctypes import (
    POINTER,
    Structure,
    c_bool,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_size_t,
    c_ulong,
    c_void_p,
)

STATUSES = {
    -1: ("EINVAL", "bad argument"),
    -2: ("EUNKNOWN", "unknown name"),
    -3: ("EPARSE", "input does not parse"),
    -4: ("EIO", "file cannot be read or written"),
    -5: ("ENOMEM", "out of memory"),
    -6: ("EDEADLOCK", "schedule cannot finish"),
    -7: ("EWRONG", "schedule does not do what its operation demands"),
    -8: ("EPROCESS", "wrong number of processes"),
    -9: ("EDATA", "measurements do not determine the model"),
    -10: ("EMPI", "MPI failed"),
    -11: ("ER", "R or its package strucchange is not there"),
}

CPM_MEDIAN = 0
CPM_MEAN = 1
CPM_MINIMUM = 2


class cpm_error(Structure):
    _fields_ = [
        ("code", c_int),
        ("text", c_char * 512),
    ]


class cpm_parameter_info(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("unit", c_char_p),
        ("meaning", c_char_p),
        ("processes", c_int),
        ("slices", c_int),
    ]


class cpm_precision(Structure):
    _fields_ = [
        ("min_reps", c_int),
        ("max_reps", c_int),
        ("confidence", c_double),
        ("relative_error", c_double),
        ("statistic", c_int),
        ("max_seconds", c_double),
    ]


class cpm_summary(Structure):
    _fields_ = [
        ("mean", c_double),
        ("median", c_double),
        ("min", c_double),
        ("max", c_double),
        ("sd", c_double),
        ("ci_low", c_double),
        ("ci_high", c_double),
        ("reps", c_int),
        ("huber", c_double),
        ("huber_half", c_double),
    ]


class cpm_measurement_info(Structure):
    _fields_ = [
        ("experiment", c_char * 128),
        ("i", c_int),
        ("j", c_int),
        ("k", c_int),
        ("count", c_int),
        ("send_bytes", c_size_t),
        ("reply_bytes", c_size_t),
        ("round", c_int),
        ("summary", cpm_summary),
        ("value", c_double),
        ("samples", POINTER(c_double)),
    ]


class cpm_algorithm_info(Structure):
    _fields_ = [
        ("operation", c_char_p),
        ("name", c_char_p),
        ("source", c_char_p),
        ("group", c_char_p),
        ("least", c_size_t),
        ("most", c_size_t),
        ("needs", c_char * 128),
        ("takes", c_char * 128),
    ]


class cpm_case(Structure):
    _fields_ = [
        ("root", c_int),
        ("bytes", c_size_t),
        ("blocks", POINTER(c_size_t)),
        ("ordered", c_bool),
        ("map", c_void_p),
        ("topology", c_void_p),
        ("combining", c_char_p),
        ("graph", c_char_p),
    ]


class cpm_bound(Structure):
    _fields_ = [
        ("seconds", c_double),
        ("limit", c_char * 320),
    ]


class cpm_selection(Structure):
    _fields_ = [
        ("collective", c_char * 128),
        ("seconds", c_double),
    ]


class cpm_rule_info(Structure):
    _fields_ = [
        ("operation", c_char_p),
        ("processes", c_int),
        ("from", c_size_t),
        ("algorithm", c_char * 128),
        ("seconds", c_double),
        ("native", c_double),
        ("lead", c_double),
        ("least_gain", c_double),
        ("measured", c_int),
    ]


FUNCTIONS = {
    "cpm_status_text": (c_char_p, [c_int]),
    "cpm_error_clear": (None, [POINTER(cpm_error)]),
    "cpm_version": (c_char_p, []),
    "cpm_size_parse": (c_int, [c_char_p, POINTER(c_size_t), POINTER(cpm_error)]),
    "cpm_model_read": (c_int, [c_char_p, POINTER(c_void_p), POINTER(cpm_error)]),
    "cpm_model_write": (c_int, [c_void_p, c_char_p, POINTER(cpm_error)]),
    "cpm_model_free": (None, [c_void_p]),
    "cpm_model_subset": (c_int, [c_void_p, POINTER(c_int), c_int, POINTER(c_void_p), POINTER(cpm_error)]),
    "cpm_model_p2p": (c_double, [c_void_p, c_int, c_int, c_size_t]),
    "cpm_model_type_name": (c_char_p, [c_void_p]),
    "cpm_type_name": (c_char_p, [c_int]),
    "cpm_model_processes": (c_int, [c_void_p]),
    "cpm_model_host": (c_char_p, [c_void_p, c_int]),
    "cpm_model_parameter": (c_bool, [c_void_p, c_int, POINTER(cpm_parameter_info)]),
    "cpm_model_value": (c_double, [c_void_p, c_char_p, c_int, c_int, c_int, POINTER(c_double)]),
    "cpm_model_slice_bytes": (c_size_t, [c_void_p, c_int]),
    "cpm_model_values": (c_int, [c_void_p, c_char_p, POINTER(c_double), POINTER(c_double), POINTER(cpm_error)]),
    "cpm_model_parameter_bytes": (c_size_t, [c_void_p, c_char_p, c_int]),
    "cpm_model_fact": (c_bool, [c_void_p, c_int, POINTER(c_char_p), POINTER(c_char_p)]),
    "cpm_model_fit": (c_int, [c_char_p, c_char_p, c_char_p, POINTER(c_void_p), POINTER(cpm_error)]),
    "cpm_model_for_layout": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(c_void_p), POINTER(cpm_error)]),
    "cpm_summarize": (c_int, [POINTER(c_double), c_int, POINTER(cpm_precision), POINTER(cpm_summary), POINTER(cpm_error)]),
    "cpm_measurements_load": (c_int, [c_char_p, POINTER(c_void_p), POINTER(cpm_error)]),
    "cpm_measurements_free": (None, [c_void_p]),
    "cpm_measurements_processes": (c_int, [c_void_p]),
    "cpm_measurements_seconds": (c_double, [c_void_p]),
    "cpm_measurements_get": (c_bool, [c_void_p, c_int, POINTER(cpm_measurement_info)]),
    "cpm_measurements_fact": (c_bool, [c_void_p, c_int, POINTER(c_char_p), POINTER(c_char_p)]),
    "cpm_topology_read": (c_int, [c_char_p, POINTER(c_void_p), POINTER(cpm_error)]),
    "cpm_topology_free": (None, [c_void_p]),
    "cpm_map_read": (c_int, [c_char_p, POINTER(c_void_p), POINTER(cpm_error)]),
    "cpm_map_free": (None, [c_void_p]),
    "cpm_operation_name": (c_char_p, [c_int]),
    "cpm_algorithm_get": (c_bool, [c_char_p, c_int, POINTER(cpm_algorithm_info)]),
    "cpm_predict": (c_double, [c_void_p, c_char_p, POINTER(cpm_case), POINTER(c_double), POINTER(cpm_error)]),
    "cpm_draws_create": (c_int, [c_void_p, c_int, c_ulong, POINTER(c_void_p), POINTER(cpm_error)]),
    "cpm_draws_free": (None, [c_void_p]),
    "cpm_predict_half": (c_double, [c_void_p, c_void_p, c_char_p, POINTER(cpm_case), POINTER(cpm_error)]),
    "cpm_bound_of": (c_int, [c_void_p, c_char_p, POINTER(cpm_case), POINTER(cpm_bound), POINTER(cpm_error)]),
    "cpm_select": (c_int, [c_void_p, c_char_p, POINTER(cpm_case), POINTER(cpm_selection), POINTER(cpm_error)]),
    "cpm_table_read": (c_int, [c_char_p, POINTER(c_void_p), POINTER(cpm_error)]),
    "cpm_table_write": (c_int, [c_void_p, c_char_p, POINTER(cpm_error)]),
    "cpm_table_free": (None, [c_void_p]),
    "cpm_table_create": (c_int, [POINTER(c_void_p), POINTER(cpm_error)]),
    "cpm_table_rule": (c_bool, [c_void_p, c_int, POINTER(cpm_rule_info)]),
    "cpm_table_fact": (c_bool, [c_void_p, c_int, POINTER(c_char_p), POINTER(c_char_p)]),
    "cpm_table_set_fact": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(cpm_error)]),
    "cpm_table_tune": (c_int, [c_void_p, c_void_p, c_char_p, c_int, POINTER(c_size_t), c_int, POINTER(cpm_error)]),
    "cpm_table_select": (c_int, [c_void_p, c_char_p, c_int, c_size_t, POINTER(cpm_selection), POINTER(cpm_error)]),
}
