#!/usr/bin/env bash
# Converts the demo articles from LaTeX into the three dialects that matchbook reads and packs them into
# articles.tar.zst, which the program embeds. Needs latexml, python3, tar and zstd (Debian's packages).
#
#   assets/demo/convert.sh
#
# Most articles become LaTeXML XHTML; 12 and 26 become HTML5 as ar5iv serves it; 05, 15 and 33 are rewritten
# to the conventions of the MREC corpus of 2011.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/demo"
printf 'file\tarxiv_id\tcategories\ttitle\n' > "$work/demo/manifest.tsv"
cd "$work"
for source in "$here"/latex/*.tex; do
  stem=$(basename "$source" .tex)
  number=${stem%%-*}
  title=$(sed -n 's/^% title: //p' "$source" | head -n 1)
  categories=$(sed -n 's/^% categories: //p' "$source" | head -n 1)
  format=xhtml name=demo.$number.xhtml
  case $number in 12 | 26) format=html5 name=demo.$number.html ;; esac
  cp "$source" article.tex
  latexml --quiet --dest=article.xml article.tex
  latexmlpost --quiet --format=$format --pmml --cmml --mathtex --nodefaultresources --navigationtoc=none \
    --dest="$name" article.xml
  # The comment says when and from which folder the page was made.
  sed -i '/^<!--Generated on/d; s/<!--  *%\*\*\*\*[^>]*-->//g' "$name"
  case $number in 05 | 15 | 33) python3 "$here/to_mrec.py" "$name" "demo.$number" "$categories" "$title" ;; esac
  mv "$name" demo/
  printf '%s\t%s\t%s\t%s\n' "$name" "demo.$number" "$categories" "$title" >> demo/manifest.tsv
  echo "$name"
done
tar --sort=name --mtime=2024-01-01 --owner=0 --group=0 --numeric-owner --format=ustar -cf demo.tar demo
zstd -q -19 -f demo.tar -o "$here/articles.tar.zst"
ls -l "$here/articles.tar.zst"
