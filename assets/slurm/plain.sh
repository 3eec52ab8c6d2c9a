#!/bin/bash
# Written by matchbook.
#SBATCH --open-mode=append
{{options}}
{{environment}}
set -e
{{work}}
