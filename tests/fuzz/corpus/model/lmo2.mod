{
  "format": "cpm model",
  "version": 1,
  "model": "lmo2",
  "processes": 4,
  "hosts": ["node0", "node1", "node2", "node3"],
  "sizes": [0],
  "provenance": {
    "date": "2026-11-22T01:26:03Z",
    "command": "cpm measure -M lmo2 --machine lmo4.mod -o lmo2.meas -q --no-thresholds --min-reps 2 --max-reps 2",
    "design": "lmo2, joint, no thresholds",
    "processes": "4",
    "precision": "2 to 2 repetitions, confidence 0.95, relative error 0.025",
    "statistic": "median",
    "placement": "plain",
    "machine": "synthetic",
    "synthetic": "lmo noise 0 seed 1",
    "hosts": "node0 node1 node2 node3",
    "clock_resolution": "0",
    "timing": "max",
    "duration": "0.805084465",
    "method": "joint",
    "measurements": "lmo2.meas",
    "measurements_sha256": "271fc0bf6defbebe5a9274d7b9ec6d7e5837c322a3cd9cfb06728c84acb2cc07"
  },
  "notes": [
    "1 regimes of message sizes, the last from 0 bytes on",
    "no size up to 262144 bytes at which a send waits for its receiver",
    "link ends: messages share the outgoing ones of 0 and the incoming ones of 0 of 4 processes"
  ],
  "parameters": {
    "Cs": {
      "unit": "s",
      "value": [
      [2.54e-5, 5.39e-5, 5.06e-5, 3.02e-5]],
      "ci": [
      [0.0, 0.0, 0.0, 0.0]]
    },
    "ts": {
      "unit": "s/B",
      "value": [
      [5.96e-9, 5.6e-9, 7.21e-9, 8.31e-9]],
      "ci": [
      [0.0, 0.0, 0.0, 0.0]]
    },
    "Cr": {
      "unit": "s",
      "value": [
      [2.54e-5, 5.39e-5, 5.06e-5, 3.02e-5]],
      "ci": [
      [0.0, 0.0, 0.0, 0.0]]
    },
    "tr": {
      "unit": "s/B",
      "value": [
      [5.96e-9, 5.6e-9, 7.21e-9, 8.31e-9]],
      "ci": [
      [0.0, 0.0, 0.0, 0.0]]
    },
    "Cn": {
      "unit": "s",
      "value": [
      [null, null, null, null]],
      "ci": null
    },
    "tn": {
      "unit": "s/B",
      "value": [
      [null, null, null, null]],
      "ci": null
    },
    "L": {
      "unit": "s",
      "value": [
      [
        [0.0, 1.28e-5, 1.09e-5, 2.3e-5],
        [1.28e-5, 0.0, 3.51e-5, 3.29e-5],
        [1.09e-5, 3.51e-5, 0.0, 1.01e-5],
        [2.3e-5, 3.29e-5, 1.01e-5, 0.0]
      ]],
      "ci": [
      [
        [null, 0.0, 0.0, 0.0],
        [0.0, null, 0.0, 0.0],
        [0.0, 0.0, null, 0.0],
        [0.0, 0.0, 0.0, null]
      ]]
    },
    "invbeta": {
      "unit": "s/B",
      "value": [
      [
        [0.0, 1.067e-8, 1.233e-8, 1.367e-8],
        [1.067e-8, 0.0, 9.37e-9, 1.341e-8],
        [1.233e-8, 9.37e-9, 0.0, 8.18e-9],
        [1.367e-8, 1.341e-8, 8.18e-9, 0.0]
      ]],
      "ci": [
      [
        [null, 0.0, 0.0, 0.0],
        [0.0, null, 0.0, 0.0],
        [0.0, 0.0, null, 0.0],
        [0.0, 0.0, 0.0, null]
      ]]
    },
    "Go": {
      "unit": "s/B",
      "value": [null, null, null, null],
      "ci": null
    },
    "Gi": {
      "unit": "s/B",
      "value": [null, null, null, null],
      "ci": null
    },
    "rendezvous": {
      "unit": "B",
      "value": null,
      "ci": null
    },
    "late": {
      "unit": "1",
      "value": 0.0,
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
    },
    "pe": {
      "unit": "1",
      "value": null,
      "ci": null
    },
    "te": {
      "unit": "s",
      "value": null,
      "ci": null
    }
  }
}
