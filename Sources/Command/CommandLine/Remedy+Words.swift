import AggregatorCore
import Asking
import Authoring
import Platform
import Recordings

extension Remedy {
  /// What to type about an error of that source, nil where it is of none.
  func words(_ program: String, _ source: String?) -> String {
    let verb = source.map { "\(program) \($0)" } ?? "\(program) SOURCE"
    return switch self {
    case .set(let names):
      "type \(names.map { "'\(program) config set \($0)'" }.joined(separator: " and ")) to set \(names.count == 1 ? "one" : "them")"
    case .setAddress(let name): "type export \(name)=https://example.com/"
    case .replaceKey(let name, let place):
      "type '\(program) config set \(name)' to set another\(place.map { "; get a key at \($0)" } ?? "")"
    case .check(let name?): "type '\(program) config' to check \(name)"
    case .check(nil): "type '\(program) config' to see which address is asked"
    case .listSettings: "type '\(program) config' to list them"
    case .checkDescription: "type '\(program) source check \(source ?? "SOURCE")'"
    case .createKeyFile: "type '\(program) config set KEY' to create it, or name another file"
    case .trustKeyFile(let path): "if you trust that file, type --config \(Paths.quoted(path))"
    case .allow(let name): "type '\(program) source allow \(Paths.quoted(name))' if you trust it"
    case .allowMoreTime: "try a longer --timeout"
    case .askService: "omit --offline to ask the service"
    case .download: "omit --offline to download it"
    case .allowStandIns: "omit --live to use cached or bundled data"
    case .showRequest: "use --explain to see the request"
    case .record: "replace --replay with --record to record it"
    case .find(let text?): "type '\(source == nil ? program : verb) search \(Paths.quoted(text))' to find one"
    case .find(nil): "type '\(verb) search TEXT' to find one"
    case .list: "type '\(verb) list' to find one"
    case .restore(let id): "type '\(verb) restore \(id)' to undo"
    case .startAgain: "type '\(verb) reset' to start again"
    case .sync: "'\(verb) sync' fetches the rest"
    case .waitForSync: "type '\(verb) sync --wait' to wait for it"
    case .syncAgain: "type '\(verb) sync' to store them again"
    case .forgetOrKeepAccount: "type '\(verb) forget' and then '\(verb) sync', or add --same-account if the account is the same"
    case .raiseLimit: "--all or --limit N shows more"
    case .sortEverything: "--all sorts every record"
    case .sortStored: "a complete sync is stored: add --offline to sort that"
    case .syncToSort: "type '\(verb) sync', then sort with --offline"
    case .syncOrReadToSort: "type '\(verb) sync', then sort with --offline, or add --all to read them now"
    case .count: "--require complete counts them"
    case .readOn: "'\(verb) next --limit N' fetches more"
    case .tellEdits(let id): "type '\(verb) why \(id ?? "ID")'"
    case .storeAsEdits(let count): "--replace stores \(count == 1 ? "it" : "them")"
    case .fetchMore: "--more N fetches more"
    case .listFields(of: let source?): "type '\(program) \(source) list --fields' for the field names"
    case .listFields(of: nil): "--fields lists the fields"
    case .separateConditions: "give --where once for each"
    case .addCondition(let condition): "add --where \(Paths.quoted(condition))"
    case .importInto(let other): "type '\(program) import \(other) FILE' to store them"
    case .convert(ImportCommand.standardInput, let encoding): "pipe it through iconv -f \(encoding) -t utf-8"
    case .convert(let file, let encoding):
      "convert it: iconv -f \(encoding) -t utf-8 \(Paths.quoted(file)) > \(Paths.quoted(Paths.named(file, "-utf8")))"
    case .mapColumn(let field): "type --map HEADER=\(field) to name the one that holds it"
    case .exportWhole(let source): "type '\(program) \(source) list --format ndjson' (or csv) to write them whole"
    case .searchOne(let source): "type '\(program) \(source) search TEXT --format json' for the answer of one"
    case .advice(let text): text
    }
  }
}

extension SourceError {
  /// This error as the command says it.
  func worded(for invocation: Invocation) -> SourceError {
    var error = worded { $0.words(invocation.program.name, $1) }
    if kind == Replay.unmatched { error.remedy = .advice(Remedy.record.words(invocation.program.name, source)) }
    return error
  }

  /// The same of one that ends the command.
  func ending(_ invocation: Invocation) -> SourceError {
    var error = worded(for: invocation)
    if message == Deadline.isLate.message, let time = try? invocation.timeout() {
      error.message += " after \(time.inWords)"
    }
    // Where places are arguments, as for a copy, there is no such option.
    if isOfStore, !invocation.command.options.contains(.store) {
      error.remedy = error.remedy?.rewording {
        $0.replacingEach("use another store with --store PLACE", with: "name another place")
      }
    }
    return error
  }
}

extension Summary {
  /// The same with its errors as the command says them.
  func worded(for invocation: Invocation) -> Summary {
    var summary = self
    summary.origin = origin?.worded(for: invocation)
    summary.verdict = verdict?.worded(for: invocation)
    return summary
  }
}

extension Verdict {
  func worded(for invocation: Invocation) -> Verdict {
    switch self {
    case .partial(.failed(let error)): .partial(.failed(error.worded(for: invocation)))
    case .partial(.budget(let error)): .partial(.budget(error.worded(for: invocation)))
    default: self
    }
  }
}

extension Origin {
  func worded(for invocation: Invocation) -> Origin {
    var origin = self
    origin.reason = reason?.worded(for: invocation)
    return origin
  }
}
