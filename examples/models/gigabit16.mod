{
  "format": "cpm model",
  "version": 1,
  "model": "lmo2",
  "processes": 16,
  "hosts": ["graphene-1", "graphene-2", "graphene-3", "graphene-4", "graphene-5", "graphene-6", "graphene-7", "graphene-8", "griffon-1", "griffon-2", "griffon-3", "griffon-4", "griffon-5", "griffon-6", "griffon-7", "griffon-8"],
  "classes": {"graphene": [0, 1, 2, 3, 4, 5, 6, 7], "griffon": [8, 9, 10, 11, 12, 13, 14, 15]},
  "sizes": [0, 1420, 65536],
  "provenance": {"method": "written by hand"},
  "notes": [
    "16 hosts of two kinds on Gigabit Ethernet, a process on each; made up from published parameters, see README.md"
  ],
  "parameters": {
    "Cs": {"unit": "s", "value": [
      [8.8e-06, 1.188e-05],
      [1.39e-05, 1.877e-05],
      [1.39e-05, 1.877e-05]]},
    "ts": {"unit": "s/B", "value": [
      [7.1e-10, 9.585e-10],
      [2.2e-10, 2.97e-10],
      [2.2e-10, 2.97e-10]]},
    "Cr": {"unit": "s", "value": [
      [9.3e-06, 1.256e-05],
      [1.43e-05, 1.931e-05],
      [1.43e-05, 1.931e-05]]},
    "tr": {"unit": "s/B", "value": [
      [7.9e-10, 1.066e-09],
      [8.7e-10, 1.175e-09],
      [8.7e-10, 1.175e-09]]},
    "L": {"unit": "s", "value": [
      [
      [2.4e-05, 3.6e-05],
      [3.6e-05, 2.9e-05]],
      [
      [2.4e-05, 3.6e-05],
      [3.6e-05, 2.9e-05]],
      [
      [2.4e-05, 3.6e-05],
      [3.6e-05, 2.9e-05]]]},
    "invbeta": {"unit": "s/B", "value": [
      [
      [8.6e-09, 9.116e-09],
      [9.116e-09, 9.116e-09]],
      [
      [8.6e-09, 9.116e-09],
      [9.116e-09, 9.116e-09]],
      [
      [8.6e-09, 9.116e-09],
      [9.116e-09, 9.116e-09]]]},
    "Go": {"unit": "s/B", "value": [8.6e-09, 9.116e-09]},
    "Gi": {"unit": "s/B", "value": [8.6e-09, 9.116e-09]},
    "rendezvous": {"unit": "B", "value": 65536},
    "late": {"unit": "1", "value": 0},
    "Oc": {"unit": "s", "value": [0, 0]},
    "cb": {"unit": "s/B", "value": [0, 0]}
  }
}
