{
  "format": "cpm model",
  "version": 1,
  "model": "logp",
  "processes": 3,
  "hosts": ["node0", "node1", "node2"],
  "provenance": {
    "date": "2026-11-22T01:26:02Z",
    "command": "cpm measure -M logp --machine three.mod -o logp.meas -q --no-thresholds --min-reps 2 --max-reps 2 -m 0,1K",
    "design": "logp, own, no thresholds",
    "processes": "3",
    "precision": "2 to 2 repetitions, confidence 0.95, relative error 0.025",
    "statistic": "median",
    "placement": "plain",
    "machine": "synthetic",
    "synthetic": "hockney noise 0 seed 1",
    "hosts": "node0 node1 node2",
    "clock_resolution": "0",
    "timing": "max",
    "duration": "0.497005796",
    "method": "own",
    "measurements": "logp.meas",
    "measurements_sha256": "2d2702724bd6687b9f27d59e8320f1dae25ec1b2b5beb58ddf7aea2e68bf8c5b"
  },
  "notes": [
    "non-empty roundtrip experiments disagree with the model by 3 %: times are no straight line in the message size"
  ],
  "parameters": {
    "L": {
      "unit": "s",
      "value": [
        [0.0, 0.00015570688, 0.00017181312],
        [0.00015570688, 0.0, 8.047056e-5],
        [0.00017181312, 8.047056e-5, 0.0]
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
        [0.0, 0.00015570688, 0.00017181312],
        [0.00015570688, 0.0, 8.047056e-5],
        [0.00017181312, 8.047056e-5, 0.0]
      ],
      "ci": [
        [null, 0.0, 0.0],
        [0.0, null, 0.0],
        [0.0, 0.0, null]
      ]
    },
    "w": {
      "unit": "B",
      "value": 1024.0,
      "ci": null
    }
  }
}
