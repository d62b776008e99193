{
  "format": "cpm model",
  "version": 1,
  "model": "hockney",
  "processes": 8,
  "hosts": ["node0", "node1", "node2", "node3", "node4", "node5", "node6", "node7"],
  "classes": {
    "all": [0, 1, 2, 3, 4, 5, 6, 7]
  },
  "provenance": {},
  "notes": [],
  "parameters": {
    "alpha": {
      "unit": "s",
      "value": [[5e-5]],
      "ci": null
    },
    "beta": {
      "unit": "s/B",
      "value": [[1e-8]],
      "ci": null
    }
  }
}
