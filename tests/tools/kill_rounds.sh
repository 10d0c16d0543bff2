#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# kill_rounds.sh BUILD_FOLDER [ROUNDS]: kills a writing process ROUNDS times (default 200) at a random moment and looks
# each time whether the project opens and holds what was reported as stored. The test suite does 20 rounds.
set -eu
build=${1:?usage: kill_rounds.sh BUILD_FOLDER [ROUNDS]}
CANDOR_KILL_ROUNDS=${2:-200} "$build/tests/test_db" processes_test killedWritersKeepWhatTheyReported
