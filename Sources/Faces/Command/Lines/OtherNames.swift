import AggregatorCore
import Asking
import RecordFormats

/// The words of other programs, each with what to type here instead. Only a line that was not understood is looked up.
///
/// The words of other programs stand with blanks between. Of several rows with one word the first counts that the command or source has.
/// In what to type, `SOURCE` is the name of the source, and a word in capitals is for the person to fill in.
enum OtherNames {
  typealias Row = (others: String, ours: String)

  /// The options.
  static let options: [Row] = [
    ("--column --columns --cols --select --only --properties --keys", "--fields"),
    ("--csv", "--format csv"), ("--tsv", "--format tsv"), ("--ndjson --jsonl --jsonlines", "--format ndjson"),
    ("--yaml --yml", "--format yaml"), ("--table --pretty", "--format table"), ("--output-format --type --as", "--format"),
    ("--no-header --no-headers --noheader --skip-header --skip-headers", "--format tsv"), ("--headers", "--header"),
    ("--output --out --outfile --output-file --file --export --save-as", "-o FILE"),
    ("--jq --jmespath --template --jsonpath", "--json | jq FILTER"),
    ("--filter --grep --match --having --condition --search-by -f -w", "--where"), ("--filter --grep --match", "--search"),
    ("--reverse --desc --descending -r", "--sort -FIELD"),
    ("--order --order-by --sort-by --orderby --asc --ascending -s", "--sort"),
    ("--group-by --groupby --facet --facets --histogram", "--count --by"), ("--total --length", "--count"),
    ("--head --first --max --top --take --size --page-size --per-page --max-results --rows --lines -l", "--limit"),
    ("--skip --start --from", "--offset"), ("--page", "--offset"), ("--no-limit --everything -a", "--all"),
    ("--dry-run --dryrun --simulate --what-if --noop --check -N", "--plan"),
    ("-V --ver", "--version"), ("-v", "--version"), ("-v -vv --debug --log-level --loglevel --progress", "--verbose"),
    ("--trace --log --http --include -i", "--explain"), ("--silent --no-progress --no-warnings -s", "--quiet"),
    ("--no-cache --nocache --force-refresh --fresh --reload", "--refresh"),
    ("--cached --local --cache-only --no-network", "--offline"),
    ("--online --remote --no-fallback", "--live"), ("--cache --cache-ttl --ttl --stale", "--max-age"),
    ("--force --assume-yes --no-confirm --non-interactive -f", "--yes"),
    ("--no-color --no-colour --nocolor --monochrome --colour", "--color never"), ("--colors --colours", "--color"),
    ("--database --db --store-path", "--store"), ("--profile --settings --config-file --env-file -c", "--config"),
    ("--no-pagination --no-page --nopager", "--no-pager"), ("--max-time --deadline --connect-timeout -m", "--timeout"),
    ("--at --when --revision --snapshot --version-at", "--as-of"), ("--after --newer-than --updated-since", "--since"),
    ("--before --older-than", "--until"), ("--added --created", "--new"), ("--updated --modified", "--changed"),
    ("--deleted --removed", "--gone"), ("--exclude --ignore", "--except"), ("--full-refresh --full-sync --reset", "--full"),
    ("--token --api-key --apikey --auth --bearer --user --password -u -b", "--key"), ("--method", "--request"),
    ("--body --json-data", "--data"), ("-k", "--insecure"),
  ]

  /// The words that stand after the name of a source.
  static let verbs: [Row] = [
    ("head top first peek sample preview", "list --limit 5"), ("ls all dump print", "list"),
    ("count len total size", "list --count"),
    ("export save write", "list --all -o FILE"), ("columns fields keys headers", "list --fields"),
    ("facet facets group-by", "list --count --by FIELD"), ("filter where select", "list --where FIELD=VALUE"),
    ("sort order", "list --sort FIELD"), ("tail latest last", "list --all --sort FIELD"),
    ("get view display cat read-one detail details inspect", "show ID"),
    ("find query grep lookup look", "search TEXT"), ("more continue", "next"),
    ("update pull fetch download refresh mirror copy", "sync"), ("picture photo pictures images", "image ID"),
    ("rm remove drop", "delete ID"), ("rm remove drop uninstall", "remove SOURCE"), ("undelete undo", "restore ID"),
    ("random pick", "deal"), ("explain provenance", "why ID"), ("diff log changelog news events", "changes"),
    ("versions revisions blame timeline", "history ID"), ("clear purge clean", "forget"),
    ("verify recount compare-live", "audit"),
    ("status state health stat stats", "status SOURCE"), ("browse open tui ui", "browse SOURCE"),
    ("load", "import SOURCE FILE"),
    ("import", "import SOURCE FILE"), ("info describe schema manifest about", "source show SOURCE"),
    ("edit", "source edit SOURCE"), ("test try check", "source try SOURCE"),
    ("accept", "source accept SOURCE"), ("allow", "source allow SOURCE"),
    ("man usage", "help SOURCE"),
  ]

  /// The words that stand first.
  static let commands: [Row] = [
    ("ls list catalogue catalog plugins connectors", "sources"), ("query select psql sqlite", "sql"),
    ("settings set", "config"),
    ("auth signin", "config set KEY"), ("load upload", "import SOURCE FILE"), ("install create register new init", "add SPEC"),
    ("rm uninstall delete drop", "remove NAME"), ("clear clean purge gc", "cache clear"),
    ("log diff news changelog", "changes"),
    ("update pull fetch download refresh mirror run", "sync"), ("find grep lookup", "search TEXT"), ("get view cat", "show ID"),
    ("state health stats info", "status"), ("check diagnose test ping", "doctor"), ("tui ui open gui", "browse"),
    ("aliases", "alias list"), ("edit", "source edit NAME"),
    ("verify recount", "audit"), ("completion", "completions SHELL"), ("man manual usage", "help"), ("version", "--version"),
  ]

  /// Returns what to type for `word`, by the first row that has it and whose first words `exists` accepts.
  static func ours(for word: String, in rows: [Row], where exists: (_ ours: String) -> Bool) -> String? {
    // Letters differ by their case: -v and -V.
    let word = word.hasPrefix("-") ? word : word.lowercased()
    return rows.first { row in row.others.split(separator: " ").contains { $0 == word } && exists(row.ours) }?.ours
  }
}

extension Grammar {
  /// Returns the option that was probably meant by an unknown one of `command`; nil for a line without a command.
  ///
  /// A name that is a field means a condition on that field: `--status=open` is `--where status=open`.
  func option(meantBy option: (name: String, value: String?), of command: Command?) -> String? {
    let options = command?.options ?? self.options
    func exists(_ ours: String) -> Bool {
      let word = String(ours.prefix { $0 != " " })
      return options.contains { $0.isCalled(word) || word == "--json" && $0.name == Option.format.name }
    }
    let name = String(option.name.drop { $0 == "-" })
    if exists("--\(Option.where.name)"), command?.fields().leaves.contains(where: { $0.shownName == name }) ?? false {
      return "--\(Option.where.name) \(name)=\(option.value ?? "VALUE")"
    }
    if let ours = OtherNames.ours(for: option.name, in: OtherNames.options, where: exists) { return ours }
    guard option.name.hasPrefix("--") else { return nil }
    // The dashes are common to all, and would let a third more letters be wrong.
    return Closest.closest(to: name, among: options.map(\.name)).map { "--\($0)" }
  }

  /// Returns the line that was probably meant by `word` after the name of a source.
  func line(meantBy word: String, of source: String) -> String? {
    let verbs = verbs(of: source)
    let ours = OtherNames.ours(for: word, in: OtherNames.verbs) { ours in
      let words = ours.split(separator: " ").map(String.init)
      return words.contains("SOURCE") ? known(words) != nil : verbs.contains(words[0])
    }
    guard let ours else { return Closest.closest(to: word, among: verbs).map { "\(source) \($0)" } }
    let isOfSource = !ours.split(separator: " ").contains("SOURCE")
    return isOfSource ? "\(source) \(ours)" : ours.replacingEach("SOURCE", with: source)
  }

  /// Returns the command that was probably meant by `word` at the beginning of a line, by what other programs call it.
  func command(meantBy word: String) -> String? {
    OtherNames.ours(for: word, in: OtherNames.commands) { ours in
      ours.hasPrefix("-") || known(ours.split(separator: " ").map(String.init)) != nil
    }
  }
}
