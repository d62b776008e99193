{
  "format": "cpm model",
  "version": 1,
  "model": "lmo2",
  "processes": 4,
  "hosts": ["north", "north", "south", "south"],
  "classes": {"north": [0, 1], "south": [2, 3]},
  "sizes": [0],
  "inside": [0],
  "parameters": {
    "Cs": {"unit": "s", "value": [[3e-6, 3e-6]]},
    "ts": {"unit": "s/B", "value": [[0, 0]]},
    "Cr": {"unit": "s", "value": [[3e-6, 3e-6]]},
    "tr": {"unit": "s/B", "value": [[0, 0]]},
    "L": {"unit": "s", "value": [[[0, 4e-6], [4e-6, 0]]]},
    "invbeta": {"unit": "s/B", "value": [[[0, 1e-8], [1e-8, 0]]]},
    "Go": {"unit": "s/B", "value": [1e-8, 1e-8]},
    "Gi": {"unit": "s/B", "value": [1e-8, 1e-8]},
    "late": {"unit": "1", "value": 0},
    "Cs_in": {"unit": "s", "value": [[3e-7, 3e-7]]},
    "ts_in": {"unit": "s/B", "value": [[0, 0]]},
    "Cr_in": {"unit": "s", "value": [[3e-7, 3e-7]]},
    "tr_in": {"unit": "s/B", "value": [[0, 0]]},
    "L_in": {"unit": "s", "value": [[4e-7, 4e-7]]},
    "invbeta_in": {"unit": "s/B", "value": [[1e-9, 1e-9]]},
    "G_in": {"unit": "s/B", "value": [1e-9, 1e-9]}
  }
}
