import AggregatorCore
import Asking
import Drafting
import KeyFiles
import Manifests
import Platform
import Presentation
import SourceVerification

/// `add SPEC [NAME]`: a source out of an address, a recording, a line for curl, a description or a manifest, from now on like any other.
enum AddCommand {
  private static let key = Option(
    "key", takes: .required(.free("PLACE")), repeatable: true,
    "where a key goes: header:NAME[=SCHEME], query:NAME or basic:USER; its value is asked for, hidden, or read from standard input"
  )

  static let command = Command(
    ["add"], .oneOrTwo(.spec, .name), options: [key, StoredCommands.yes, .plan, .timeout],
    "add a source: SPEC is an address, a recording (.har), a line for curl ('-' reads one), an OpenAPI document or a manifest",
    examples: [
      "add https://api.example.com/boats", "add https://api.example.com/boats ships --key header:X-Api-Key",
      "add recording.har",
      "add pokemon.json --yes",
    ]
  ) { invocation in
    let adding = NewSource(invocation)
    switch try spec(invocation) {
    case .manifest(let contents): return try adding.add(contents, from: contents.manifest.file)
    case .request(let request): return try await ask(request, adding)
    case .recording(let fixture):
      if invocation.has(.plan) { return try plan([], invocation) }
      return try await adding.add(Draft(from: fixture, naming: adding.name, choosing: adding.choose))
    case .description(let document): return try await adding.add(document)
    }
  }

  private static func spec(_ invocation: Invocation) throws -> Spec {
    let (word, console) = (invocation.arguments[0], invocation.program.console)
    guard word == "-" else { return try Spec(word, in: invocation.program.workingDirectory) }
    if invocation.has(key) {
      throw UsageError("add - reads the line for curl from standard input; put the key into that line")
    }
    if console.isInputTerminal { invocation.say("paste the line, and end it with an empty one") }
    return try Spec(contents: console.readText(upTo: 16 << 20), of: "-", called: "standard input")
  }

  // MARK: - A service that is asked

  private static func ask(_ request: NamedRequest, _ adding: NewSource) async throws -> ExitCode {
    let invocation = adding.invocation
    let host = request.address.host
    var request = request
    request.keys += try keys(invocation)
    if invocation.has(.plan) {
      return try plan(Probe.plan.map { "\(request.method.rawValue) \(request.address.shown): \($0)" }, invocation)
    }
    let name = try adding.name(for: request)
    for index in request.keys.indices where request.keys[index].value == nil {
      let value = try invocation.program.console.readSecret("\(request.keys[index].carrier) of \(host): ").trimmingSpaces
      if value.isEmpty { throw UsageError("no value for \(request.keys[index].carrier) on standard input") }
      request.keys[index].value = Secret(value)
    }
    for notice in request.notices { invocation.say(notice) }
    invocation.say("asking \(host) at most \(Probe.most) times")
    let probe = try Probe(name, asking: request, in: invocation.world()) { step in
      let asked = step.asked.count > 100 ? "\(step.asked.prefix(99))…" : step.asked
      invocation.say("\(step.number) \(asked): \(step.purpose)")
    }
    let first = try await probe.first()
    let file = request.address.shown
    if first.document["aggregator"] != nil {
      return try adding.add(ManifestContents(first.exchange.response.body, at: file), from: nil)
    }
    if first.document["openapi"] != nil {
      return try await adding.add(OpenAPIDocument(first.exchange.response.json(), called: file))
    }
    return try await adding.add(probe.draft(from: first, choosing: adding.choose))
  }

  private static func plan(_ requests: [String], _ invocation: Invocation) throws -> ExitCode {
    let lines = requests.isEmpty ? ["nothing would be sent: the file says it"] : requests.map { "would send \($0)" }
    try invocation.program.console.write(lines.map { Printable.clean($0) + "\n" }.joined())
    try invocation.program.console.flush()
    invocation.say("nothing was sent or added (--plan)")
    return .success
  }

  /// The keys that the line names, without values.
  private static func keys(_ invocation: Invocation) throws(UsageError) -> [NamedKey] {
    try (invocation.values[key.name] ?? []).map { text throws(UsageError) in
      let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
      let sides = parts.last?.split(separator: "=", maxSplits: 1).map(String.init) ?? []
      switch parts.first {
      case "header" where parts.count == 2 && sides.count == 2: return NamedKey(.header(sides[0], scheme: sides[1]))
      case "header" where sides.count == 1 && parts.count == 2: return NamedKey(.header(sides[0], scheme: nil))
      case "query" where parts.count == 2: return NamedKey(.query(parts[1]))
      case "basic" where parts.count == 2: return NamedKey(.basic(user: parts[1]))
      default: throw UsageError("--key must be header:NAME, header:NAME=SCHEME, query:NAME or basic:USER")
      }
    }
  }
}
