"""Reads a file store with MLflow's own client and prints what it finds as JSON."""

import json
import os
import sys

os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
from mlflow.tracking import MlflowClient

client = MlflowClient(tracking_uri="file://" + os.path.abspath(sys.argv[1]))
found = []
for experiment in client.search_experiments():
    for run in client.search_runs([experiment.experiment_id]):
        history = client.get_metric_history(run.info.run_id, "dev/mrr")
        found.append({
            "experiment": experiment.name,
            "name": run.info.run_name,
            "status": run.info.status,
            "params": run.data.params,
            "metrics": run.data.metrics,
            "tags": {name: value for name, value in run.data.tags.items()},
            "history": [[each.step, each.value, each.timestamp] for each in history],
        })
print(json.dumps(found))
