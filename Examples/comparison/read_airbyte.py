"""read_airbyte.py WAY ADDRESS FOLDER: reads a stream of airbyte.yaml with Airbyte's low-code CDK.

The process becomes the CDK's own command. It prints Airbyte's messages. FOLDER may have the state of the run before.
"""

import json
import os
import sys
from pathlib import Path


def main(way, address, folder):
    stream = {"name": way, "json_schema": {}, "supported_sync_modes": ["full_refresh", "incremental"]}
    mode = "incremental" if way == "by-change" else "full_refresh"
    catalog = {"streams": [{"stream": stream, "sync_mode": mode, "destination_sync_mode": "append", "cursor_field": ["updated"]}]}
    config, chosen, state = Path(folder, "config.json"), Path(folder, "catalog.json"), Path(folder, "state.json")
    config.write_text(json.dumps({"address": address}))
    chosen.write_text(json.dumps(catalog))
    manifest = Path(__file__).with_name("airbyte.yaml")
    command = Path(sys.executable).with_name("source-declarative-manifest")
    words = ["read", f"--config={config}", f"--catalog={chosen}", f"--manifest-path={manifest}"]
    os.execv(command, [command, *words, *([f"--state={state}"] if state.exists() else [])])


if __name__ == "__main__":
    main(*sys.argv[1:])
