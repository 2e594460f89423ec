#!/bin/bash
# The whole training of the offline scorer of uses, two processes side by side; estimated at 4 to 5 hours on two cores, never run
# whole so far. From the repository: bash scripts/aut/pipeline.sh AUT.csv ENCODERS MODELS, where ENCODERS holds minilm-l6 and
# mpnet-base (docs/aut_scorer.md says from which packages). Each part is skipped where it is done.
set -e
P=${PYTHON:-python}; D=$1; E=$2; M=$3; mkdir -p "$M"
T() { out=$M/$1; enc=$E/$2; shift 2; [ -e $out/done ] || { nice -n 8 $P scripts/train_aut.py --threads 1 --data $D train --encoder $enc --out $out "$@" > $out.log 2>&1 && touch $out/done; }; }
A="--layer-decay 0.95 --centred 0.3 --ranking 0.2 --pooled-weight 0.3"
# 1. seeds of the small encoder; the one that never sees five objects
T p3 minilm-l6 --seed 3 --batch 64 --layer-decay 1.0 --freeze 0 & T s3 minilm-l6 --seed 3 $A & wait
T byprompt minilm-l6 --seed 1 --by split_byprompt $A &
# 2. teachers
T t1 mpnet-base --seed 1 --rate 5e-5 --epochs 4 --layer-decay 0.9 --centred 0.3 --ranking 0.2 --pooled-weight 0.3 & wait
T t2 mpnet-base --seed 2 --rate 5e-5 --epochs 4 --layer-decay 0.9 --centred 0.3 --ranking 0.2 --pooled-weight 0.3 & wait
nice -n 8 $P scripts/train_aut.py --data $D teach $M/t1 $M/t2 $M/s3 --encoders $E/mpnet-base $E/mpnet-base $E/minilm-l6 --out $M/taught.csv
# 3. students, averaged
T d1 minilm-l6 --seed 1 --epochs 5 --teacher $M/taught.csv $A & T d2 minilm-l6 --seed 2 --epochs 5 --teacher $M/taught.csv $A & wait
nice -n 8 $P scripts/train_aut.py --data $D average $M/d1 $M/d2 --encoder $E/minilm-l6 --out $M/student
nice -n 8 $P scripts/train_aut.py --data $D unseen $M/byprompt --encoder $E/minilm-l6 --out $M/unseen.csv
# 4. Compare val.csv of student, s3, p3 and averages; then pack ONE of them (this is a look at test):
echo nice -n 8 $P scripts/train_aut.py --data $D pack $M/student --encoder $E/minilm-l6 --unseen $M/unseen.csv --out src/creaeval/offline/files --looks $M --purpose final
