import AggregatorCore
import Asking

/// A face that is asked by addresses, `/ports/search?text=oslo&limit=2`, and answers with a status, as over HTTP.
struct QueryFace: Sendable {
  struct Reply: Sendable {
    var status = 200
    var body = ""
    /// The address of the rest.
    var next: String?
    /// The names of the notices, and of the requirements that are not met.
    var names: [String] = []
  }

  let face: SmallFace

  func reply(to address: String) async -> Reply {
    let (path, query) = Self.parts(of: address)
    do {
      switch path.count {
      case 0: return Reply(body: face.reports())
      case 1: return try await everywhere(AskWords(query: query))
      default: return try await reply(path[0], path[1], AskWords(query: query), again: address)
      }
    } catch let error as AskError {
      return Reply(status: 400, body: "\(error)")
    } catch let error as SourceError {
      return Reply(status: error.status, body: error.worded(Self.words).description, names: ["\(ErrorClass(of: error.kind))"])
    } catch {
      return Reply(status: 499, body: "the client has gone")
    }
  }

  private static func parts(of address: String) -> (path: [String], query: String) {
    let sides = address.split(separator: "?", maxSplits: 1)
    return (sides.first?.split(separator: "/").map(String.init) ?? [], sides.count == 2 ? String(sides[1]) : "")
  }

  private func reply(_ name: String, _ word: String, _ words: AskWords, again address: String) async throws -> Reply {
    guard let source = face.catalogue[name] else {
      throw SourceError(Unknown("source", name, among: face.catalogue.sources.map(\.name)))
    }
    guard let verb = source.verbs.first(where: { $0.name(for: source) == word }) else {
      return Reply(status: 404, body: Unknown("verb", word, among: source.verbs.map(\.name)).listing)
    }
    let ask = try Ask(verb, of: source, reading: words, mostRecords: 100, at: face.world.clock.now)
    let (body, outcome) = try await face.reply(to: verb, ask)
    var reply = Reply(body: body)
    reply.names = (outcome?.notices.map(\.name) ?? []) + (outcome?.unmet.map(\.requirement.name) ?? [])
    let rest = address.split(separator: "&").filter { !$0.hasPrefix("cursor=") }.joined(separator: "&")
    reply.next = outcome?.place.map { "\(rest)\(rest.contains("?") ? "&" : "?live=false&")cursor=\($0.text)" }
    return reply
  }

  /// The best records of all sources, a line each.
  private func everywhere(_ words: AskWords) async throws -> Reply {
    guard let first = face.catalogue.searchable.first else { return Reply(status: 404) }
    let ask = try Ask(.search, of: first, reading: words, at: face.world.clock.now)
    var reply = Reply()
    try await face.catalogue.search(ask.query.text ?? "", ask, in: face.world) { news in
      guard case .found(let findings) = news else { return }
      for found in findings.found { reply.body += "\(found.source) \(found.id)\n" }
    }
    return reply
  }

  /// The remedies in the words of this face, a rule for each shape, as addresses.
  private static let words: Remedy.Wording = { remedy, source in
    switch remedy {
    case .ask(let call, let purpose): "GET /\(call.source ?? source ?? "SOURCE")/\(call.verb)\(Remedy.appended(purpose))"
    case .give(let parameters, let purpose): "add \(parameters.map { "\($0)" }.joined(separator: " or "))\(Remedy.appended(purpose))"
    case .omit(let name, let purpose): "leave out \(name)\(Remedy.appended(purpose))"
    default: "\(remedy)"
    }
  }
}
