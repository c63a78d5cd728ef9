import AggregatorCore

extension SourcePackage {
  /// A language in which a program can be begun.
  package enum Language: String, Sendable, CaseIterable {
    case python, sh
  }

  /// A program that is a source, as a start for one's own: it prints framed lines, and has a test.
  package init(_ name: SourceName, programIn language: Language) {
    let program = "aggregator-source-\(name.text)"
    self.init(
      name,
      files: [
        File(program, language == .python ? name.python : name.shell, isExecutable: true),
        File("test", name.test(of: program), isExecutable: true),
        File("README.md", name.guide(to: program)),
      ])
  }
}

extension SourceName {
  private var description: String {
    #"{"summary":"\#(text), from a program","key":"id","supports":["search","show","after"],"#
      + #""fields":[{"name":"id","role":"badge"},{"name":"name","role":"title"},{"name":"length","type":"number"}]}"#
  }

  fileprivate var python: String {
    """
    #!/usr/bin/env python3
    \"""The source \(text): prints its records as framed lines. Replace rows() with your own.\"""
    import json
    import sys

    DESCRIPTION = json.loads('''\(description)''')


    def rows():
        for number in range(1, 13):
            yield {"id": f"\(text.prefix(1))-{number:02}", "name": f"Name {number}", "length": number * 1.5}


    \(Self.pythonAnswers)
    """
  }

  /// The part of the program that answers each verb with framed lines.
  private static let pythonAnswers = """
    def say(line):
        print(json.dumps(line, ensure_ascii=False), flush=True)


    def main(verb="list", text="", cursor=""):
        if verb == "describe":
            return say(DESCRIPTION)
        found = list(rows())
        if verb == "list" and text == "--after":
            ids = [row["id"] for row in found]
            if cursor not in ids:
                return say({"error": {"kind": "bad-request", "message": "no such cursor"}})
            found = found[ids.index(cursor) + 1:]
        elif verb == "search":
            found = [row for row in found if text.lower() in row["name"].lower()]
        elif verb == "show":
            found = [row for row in found if row["id"] == text]
        for row in found:
            say({"item": row})
            if verb == "list":
                say({"cursor": row["id"]})
        # Say "complete" only where you know that these are all.
        say({"end": {"verdict": "complete"}})


    main(*sys.argv[1:4])

    """

  fileprivate var shell: String {
    """
    #!/bin/sh
    # The source \(text): prints its records as framed lines. Replace rows() with your own.
    set -eu

    rows() { # id, name and length, with tabs between them
      for number in 1 2 3 4 5 6 7 8 9; do
        printf '%s\\t%s\\t%s\\n' "\(text.prefix(1))-0$number" "Name $number" "$number.5"
      done
    }

    verb=${1:-list} text=${2:-} cursor=${3:-}
    if [ "$verb" = describe ]; then
      echo '\(description)'
      exit
    fi
    # The names in rows() have no quotes and no backslashes; JSON would need them escaped.
    rows | awk -F '\\t' -v verb="$verb" -v text="$text" -v cursor="$cursor" '
      BEGIN { found = !(verb == "list" && text == "--after") }
      !found { found = $1 == cursor; next }
      verb == "list" || verb == "search" && index(tolower($2), tolower(text)) || verb == "show" && $1 == text {
        printf "{\\"item\\":{\\"id\\":\\"%s\\",\\"name\\":\\"%s\\",\\"length\\":%s}}\\n", $1, $2, $3
        if (verb == "list") printf "{\\"cursor\\":\\"%s\\"}\\n", $1
      }
      # Say "complete" only where you know that these are all.
      END { print found ? "{\\"end\\":{\\"verdict\\":\\"complete\\"}}" : "{\\"error\\":{\\"kind\\":\\"bad-request\\",\\"message\\":\\"no such cursor\\"}}" }'

    """
  }

  fileprivate func test(of program: String) -> String {
    """
    #!/bin/sh
    # Tests \(program) alone; 'aggregator source verify \(text)' tests it as a source.
    set -eu
    cd -- "$(dirname -- "$0")"

    fail() { echo "test: $1" >&2 && exit 1; }
    items() { grep -c '^{"item"' || :; }

    ./\(program) describe | grep -q '"fields"' || fail "describe has no fields"
    all=$(./\(program) list)
    [ "$(printf '%s\\n' "$all" | tail -1)" = '{"end":{"verdict":"complete"}}' ] ||
      [ "$(printf '%s\\n' "$all" | tail -1)" = '{"end": {"verdict": "complete"}}' ] || fail "the last line is not the end"
    count=$(printf '%s\\n' "$all" | items)
    [ "$count" -gt 2 ] || fail "list has $count items"
    cursor=$(printf '%s\\n' "$all" | sed -n 's/^{"cursor": *"\\(.*\\)"}$/\\1/p' | head -1)
    rest=$(./\(program) list --after "$cursor" | items)
    [ "$rest" = $((count - 1)) ] || fail "$rest items come after the first of $count"
    [ "$(./\(program) list --after nothing | grep -c '^{"error"')" = 1 ] || fail "an unknown cursor is not refused"
    [ "$(./\(program) search 'name 3' | items)" = 1 ] || fail "search does not find one item"
    [ "$(./\(program) show "$cursor" | items)" = 1 ] || fail "show does not find $cursor"
    [ "$(./\(program) show nothing | items)" = 0 ] || fail "show finds what is not there"
    echo "test: $count items, all well"

    """
  }

  fileprivate func guide(to program: String) -> String {
    """
    # \(text)

    `\(program)` is a source for `aggregator`: a program that prints its records as lines of JSON.

    | it is called with | it prints |
    |---|---|
    | `describe` | one line with the fields of a record, its key, and what it supports |
    | `list`, `list --after CURSOR` | the records, all or those after a cursor |
    | `search TEXT` | the records that match |
    | `show ID` | one record, or none |

    A record is `{"item": {…}}`, a cursor `{"cursor": "…"}`, and the last line `{"end": {"verdict": "complete"}}`. Without that line, or
    with another exit code than 0, the list counts as partial.

    ```sh
    ./test
    PATH=$PWD:$PATH aggregator source allow \(text)
    PATH=$PWD:$PATH aggregator \(text) list
    ```

    """
  }
}
