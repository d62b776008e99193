{
  "format": "cpm model",
  "version": 1,
  "model": "lmo",
  "processes": 7,
  "hosts": ["thin1", "thin2", "thin3", "fat1", "fat2", "fat3", "login"],
  "classes": {
    "thin": [0, 1, 2],
    "fat": [3, 4, 5],
    "login": [6]
  },
  "provenance": {},
  "notes": [],
  "parameters": {
    "C": {
      "unit": "s",
      "value": [2.9e-5, 3.4e-5, 4.0e-5],
      "ci": [3.0e-7, null, 4.0e-7]
    },
    "t": {
      "unit": "s/B",
      "value": [7.6e-9, 2.4e-9, 4.9e-9],
      "ci": null
    },
    "L": {
      "unit": "s",
      "value": [
        [1.3e-5, 3.3e-5, 2.6e-5],
        [3.3e-5, 1.5e-5, 2.9e-5],
        [2.6e-5, 2.9e-5, 0.0]
      ],
      "ci": null
    },
    "invbeta": {
      "unit": "s/B",
      "value": [
        [0.9e-8, 1.1e-8, 1.3e-8],
        [1.1e-8, 0.8e-8, 1.3e-8],
        [1.3e-8, 1.3e-8, 0.0]
      ],
      "ci": null
    },
    "S": {
      "unit": "B",
      "value": null,
      "ci": null
    },
    "M1": {
      "unit": "B",
      "value": null,
      "ci": null
    },
    "M2": {
      "unit": "B",
      "value": null,
      "ci": null
    }
  }
}
