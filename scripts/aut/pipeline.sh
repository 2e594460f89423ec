#!/bin/bash
# The whole training of the offline scorer of uses, about four hours on two processors, two processes side by side. From the
# repository: bash scripts/aut/pipeline.sh AUT.csv ENCODERS MODELS, where ENCODERS holds minilm-l6 and mpnet-base
# (docs/aut_scorer.md says from which packages). A part that is done is skipped.
set -e
P=${PYTHON:-python}; D=$1; E=$2; M=$3; mkdir -p "$M"
# Names of the encoders by model: t1 and t2 are large.
encoder() { case $1 in t?) echo "$E/mpnet-base";; *) echo "$E/minilm-l6";; esac; }
S() { $P scripts/train_aut.py --threads 1 --data "$D" "$@"; }
T() { out=$M/$1; [ -e "$out/done" ] || { S train --encoder "$(encoder "$1")" --out "$out" --centred 0.3 --ranking 0.2 --pooled-weight 0.3 "${@:2}" > "$out.log" 2>&1 && touch "$out/done"; }; }
remember() { S remember "$M/$1" --encoder "$(encoder "$1")"; }
# teach NUMBER MODEL …: score drawn uses NUMBER; taught NUMBER MODEL … names what they wrote.
teach() { for one in "${@:2}"; do S teach "$M/$one" --encoder "$(encoder "$one")" --uses "$M/uses$1.csv" --out "$M/taught$1/$one.csv"; done; }
taught() { names=(); for one in "${@:2}"; do names+=("$M/taught$1/$one.csv"); done; (IFS=,; echo "${names[*]}"); }
SMALL="--layer-decay 0.95"; LARGE="--rate 6e-5 --epochs 3 --layer-decay 0.9 --freeze 3"
# 1. From people's points alone: a small encoder and a large one; beside them the model that never sees five objects.
(T s3 --seed 3 $SMALL; T byprompt --seed 1 --by split_byprompt $SMALL) & side=$!
T t1 --seed 1 $LARGE; wait $side
S draw --moved 6000 --varied 0 --out "$M/uses0.csv"; teach 0 t1 s3
# 2. A first student, then a second large encoder that learns from people, the first two and the student.
T d1 --seed 1 --epochs 6 $SMALL --teacher "$(taught 0 t1 s3)"
S draw --moved 0 --varied 0 --out "$M/uses1.csv"; teach 1 t1 s3 d1
T t2 --seed 2 $LARGE --teacher "$(taught 1 t1 s3 d1)" --teacher-share 0.5
# 3. From here on, models remember rated uses. The student goes on with many more uses.
remember t1; remember d1
S draw --moved 16000 --varied 14000 --out "$M/uses2.csv"; teach 2 t1 d1
T e1 --start "$M/d1" --seed 11 --rate 8e-5 --epochs 4 $SMALL --teacher "$(taught 2 t1 d1)" --teacher-share 0.8
# 4. Twice from there, with the second large encoder among the teachers and other uses for the second; the mean of both.
remember t2; teach 2 t2
S draw --moved 16000 --varied 14000 --seed 2 --out "$M/uses3.csv"; teach 3 t1 d1 t2
T f1 --start "$M/e1" --seed 21 --rate 8e-5 --epochs 3 $SMALL --teacher "$(taught 2 t1 d1 t2)" --teacher-share 0.8 & side=$!
T f2 --start "$M/e1" --seed 22 --rate 8e-5 --epochs 2.5 $SMALL --teacher "$(taught 3 t1 d1 t2)" --teacher-share 0.8; wait $side
S average "$M/f1" "$M/f2" --encoder "$E/minilm-l6" --out "$M/f"
remember f; remember byprompt
S unseen "$M/byprompt" --encoder "$E/minilm-l6" --out "$M/unseen.csv" --looks "$M" --purpose "objects never seen"
# 5. Compare the val r of e1, f1, f2 and f in their cards, then pack the best (this is a look at test):
echo $P scripts/train_aut.py --data "$D" pack "$M/f" --encoder "$E/minilm-l6" --unseen "$M/unseen.csv" --teachers "$M"/{t1,s3,d1,t2,e1} --out src/creaeval/offline/files --looks "$M" --purpose final
