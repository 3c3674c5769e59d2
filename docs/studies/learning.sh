#!/bin/sh
# Prints docs/studies/learning.csv, in half a minute of processor time: the policies of tools/python/examples against shipped ones, on
# seeds that they have not seen. Usage, in the root of the source: sh docs/studies/learning.sh; PYTHON is a Python with NumPy.
set -eu
examples=tools/python/examples
export EASIM="${EASIM:-build/easim}" PYTHONPATH="tools/python${PYTHONPATH:+:$PYTHONPATH}"
echo example,jobs,policy,figure,value,ci95
"${PYTHON:-python3}" -W ignore $examples/cem.py compare | awk -F ' *[|] *' 'NR > 2 {
    split("energy_kwh jct_mean_h cost more_than_learned", figures, " ")
    for (i = 1; i <= 4; i++) if (split($(i + 2), part, " ± ")) print "cem,protocol," $2 "," figures[i] "," part[1] "," part[2]}'
"${PYTHON:-python3}" -W ignore $examples/menu.py search $examples/search.json | awk -F ' *[|] *' 'NR > 2 {
    print "search," $2 ",learned,cost," $3 ","
    policy[1] = "lean"; policy[3] = "pollux"
    for (i = 1; i <= 3; i += 2) {split($(i + 4), part, /[ ()]+/)
        print "search," $2 "," policy[i] ",cost," $(i + 3) ",\nsearch," $2 "," policy[i] ",less_than_it," part[1] "," part[3] "\nsearch," $2 "," policy[i] ",less_than_it_percent," part[4] ","}}'
