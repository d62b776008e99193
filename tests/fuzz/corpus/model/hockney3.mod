{
  "format": "cpm model",
  "version": 1,
  "model": "hockney",
  "processes": 3,
  "hosts": ["node0", "node1", "node2"],
  "provenance": {
    "date": "2026-11-01T12:00:00Z",
    "command": "cpm model -o cluster.mod"
  },
  "notes": ["written by hand for the tests"],
  "parameters": {
    "alpha": {
      "unit": "s",
      "value": [
        [0, 0.0001456, 0.0001448],
        [0.0001456, 0, 5.57e-05],
        [0.0001448, 5.57e-05, 0]
      ],
      "ci": [
        [0.0, 1.46e-06, 1.45e-06],
        [1.46e-06, 0.0, 5.57e-07],
        [1.45e-06, 5.57e-07, 0.0]
      ]
    },
    "beta": {
      "unit": "s/B",
      "value": [
        [0, 9.87e-09, 2.638e-08],
        [9.87e-09, 0, 2.419e-08],
        [2.638e-08, 2.419e-08, 0]
      ],
      "ci": [
        [0.0, 9.87e-11, 2.64e-10],
        [9.87e-11, 0.0, 2.42e-10],
        [2.64e-10, 2.42e-10, 0.0]
      ]
    }
  }
}
