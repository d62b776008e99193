{
  "format": "cpm model",
  "version": 1,
  "model": "lmo",
  "processes": 3,
  "hosts": ["node0", "node1", "node2"],
  "provenance": {
    "date": "2026-11-22T01:26:03Z",
    "command": "cpm measure -M lmo --machine three.mod -o lmo.meas -q --no-thresholds --min-reps 2 --max-reps 2 -m 0,1K",
    "design": "lmo, joint, no thresholds",
    "processes": "3",
    "precision": "2 to 2 repetitions, confidence 0.95, relative error 0.025",
    "statistic": "median",
    "placement": "plain",
    "machine": "synthetic",
    "synthetic": "hockney noise 0 seed 1",
    "hosts": "node0 node1 node2",
    "clock_resolution": "0",
    "timing": "max",
    "duration": "0.0266521357",
    "method": "joint",
    "measurements": "lmo.meas",
    "measurements_sha256": "2f3f8952e3bda499b322996cf9b911816c63a59d260e828dfc9fbe7d2bea6899"
  },
  "notes": [
    "6 roundtrip experiments: residual 8.7 % in the median, 40 % at most",
    "12 train experiments: residual 19 % in the median, 38 % at most",
    "3 pairs have a negative L or 1/beta: their link shows less than the processors' own times, as where processes share link ends or memory",
    "non-empty roundtrip experiments disagree with the model by 10 %: times are no straight line in the message size",
    "empty train experiments disagree with round trips by 22 %: sends and receives cost unlike; try --model lmo2",
    "non-empty train experiments disagree with round trips by 15 %: messages share link ends, wait for their receivers, or cost unlike per byte; try --model lmo2"
  ],
  "parameters": {
    "C": {
      "unit": "s",
      "value": [0.000148348178642078, 7.91599322334659e-5, 7.89969001888501e-5],
      "ci": [0.00010023, 6.4488e-5, 6.4278e-5]
    },
    "t": {
      "unit": "s/B",
      "value": [2.19183084546369e-8, 3.23184206285899e-8, 3.94793400697139e-8],
      "ci": [1.6792e-7, 1.1714e-7, 1.2276e-7]
    },
    "L": {
      "unit": "s",
      "value": [
        [0.0, -9.46368056994337e-5, -9.50115246908018e-5],
        [-9.46368056994337e-5, 0.0, -8.00391841140629e-5],
        [-9.50115246908018e-5, -8.00391841140629e-5, 0.0]
      ],
      "ci": [
        [0.0, 0.00018428, 0.00018355],
        [0.00018428, 0.0, 0.00010309],
        [0.00018355, 0.00010309, 0.0]
      ]
    },
    "invbeta": {
      "unit": "s/B",
      "value": [
        [0.0, -4.30014434469497e-8, -4.00779372299021e-8],
        [-4.30014434469497e-8, 0.0, -6.27640116490185e-8],
        [-4.00779372299021e-8, -6.27640116490185e-8, 0.0]
      ],
      "ci": [
        [0.0, 2.9663e-7, 3.0863e-7],
        [2.9663e-7, 0.0, 1.9502e-7],
        [3.0863e-7, 1.9502e-7, 0.0]
      ]
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
