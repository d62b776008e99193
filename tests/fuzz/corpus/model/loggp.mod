{
  "format": "cpm model",
  "version": 1,
  "model": "loggp",
  "processes": 3,
  "hosts": ["node0", "node1", "node2"],
  "provenance": {
    "date": "2026-11-22T01:26:02Z",
    "command": "cpm measure -M loggp --machine three.mod -o loggp.meas -q --no-thresholds --min-reps 2 --max-reps 2 -m 0,1K",
    "design": "loggp, own, no thresholds",
    "processes": "3",
    "precision": "2 to 2 repetitions, confidence 0.95, relative error 0.025",
    "statistic": "median",
    "placement": "plain",
    "machine": "synthetic",
    "synthetic": "hockney noise 0 seed 1",
    "hosts": "node0 node1 node2",
    "clock_resolution": "0",
    "timing": "max",
    "duration": "0.917688846",
    "method": "own",
    "measurements": "loggp.meas",
    "measurements_sha256": "0a9bf2b8fd1c495893497428b945155536362fd114d0c9501b431c2a9f51d878"
  },
  "notes": [],
  "parameters": {
    "L": {
      "unit": "s",
      "value": [
        [0.0, 0.00014560987, 0.00014482638],
        [0.00014560987, 0.0, 5.572419e-5],
        [0.00014482638, 5.572419e-5, 0.0]
      ],
      "ci": [
        [null, 0.0, 0.0],
        [0.0, null, 0.0],
        [0.0, 0.0, null]
      ]
    },
    "o": {
      "unit": "s",
      "value": [0.0, 0.0, 0.0],
      "ci": [0.0, 0.0, 0.0]
    },
    "g": {
      "unit": "s",
      "value": [
        [0.0, 0.00014560987, 0.00014482638],
        [0.00014560987, 0.0, 5.572419e-5],
        [0.00014482638, 5.572419e-5, 0.0]
      ],
      "ci": [
        [null, 0.0, 0.0],
        [0.0, null, 0.0],
        [0.0, 0.0, null]
      ]
    },
    "G": {
      "unit": "s/B",
      "value": [
        [0.0, 9.87e-9, 2.638e-8],
        [9.87e-9, 0.0, 2.419e-8],
        [2.638e-8, 2.419e-8, 0.0]
      ],
      "ci": [
        [null, 0.0, 0.0],
        [0.0, null, 0.0],
        [0.0, 0.0, null]
      ]
    }
  }
}
