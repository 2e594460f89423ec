#!/bin/bash
# The whole training of the offline scorer of uses, about two hours on two processors, two processes side by side. From the
# repository: bash scripts/aut/pipeline.sh AUT.csv ENCODERS MODELS, where ENCODERS holds minilm-l6 and mpnet-base
# (docs/aut_scorer.md says from which packages). A part that is done is skipped.
set -e
P=${PYTHON:-python}; D=$1; E=$2; M=$3; mkdir -p "$M"
T() { out=$M/$1; enc=$E/$2; shift 2; [ -e $out/done ] || { $P scripts/train_aut.py --threads 1 --data $D train --encoder $enc --out $out "$@" > $out.log 2>&1 && touch $out/done; }; }
A="--centred 0.3 --ranking 0.2 --pooled-weight 0.3"
# 1. The teachers: a small encoder and a large one; beside the large one the model that never sees five objects.
(T s3 minilm-l6 --seed 3 --layer-decay 0.95 $A; T byprompt minilm-l6 --seed 1 --by split_byprompt --layer-decay 0.95 $A) & small=$!
T t1 mpnet-base --seed 1 --rate 6e-5 --epochs 3 --layer-decay 0.9 --freeze 3 $A; wait $small
$P scripts/train_aut.py --data $D teach $M/t1 $M/s3 --encoders $E/mpnet-base $E/minilm-l6 --moved 6000 --out $M/taught.csv
# 2. Their student.
T d1 minilm-l6 --seed 1 --epochs 6 --layer-decay 0.95 --teacher $M/taught.csv $A
$P scripts/train_aut.py --data $D unseen $M/byprompt --encoder $E/minilm-l6 --out $M/unseen.csv --looks $M --purpose "objects never seen"
# 3. Compare best_val_r in the cards of s3 and d1, then pack the better one (this is a look at test):
echo $P scripts/train_aut.py --data $D pack $M/d1 --encoder $E/minilm-l6 --unseen $M/unseen.csv --teachers $M/t1 $M/s3 --out src/creaeval/offline/files --looks $M --purpose final
