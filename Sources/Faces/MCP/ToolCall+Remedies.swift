import AggregatorCore
import Asking
import RecordFormats

// Remedies as calls of tools.

extension ToolCall {
  /// The call that a remedy is; nil if no tool is for it.
  func call(for remedy: Remedy, about source: String?) -> Value? {
    var remedy = remedy
    // To find what an id did not find, its words are looked for.
    if case .ask(var call, let purpose) = remedy, call.subjects == ["TEXT"], let id = words.given["id"]?.last {
      call.subjects = [id]
      remedy = .ask(call, purpose)
    }
    if remedy.hasBlank { return nil }
    switch remedy {
    case .ask(let call, _):
      guard let tool = request.server.tools.first(where: { $0.name == call.verb }) else { return nil }
      var members: [Member] = []
      if call.isOfSource, let name = call.source ?? source ?? words.given["source"]?.last {
        members.append(Member(name: "source", value: .text(name)))
      }
      if let subject = tool.required.first(where: { $0 == .text || $0 == .id }), !call.subjects.isEmpty {
        members.append(Member(name: subject.name, value: .text(call.subjects.joined(separator: " "))))
      }
      // A client that waits for its answer has no use for a sync that waits.
      members += call.parameters.filter { $0.name != "wait" }.map(Self.member)
      return tool.takes(members) ? Self.call(tool.name, members) : nil
    // Fields without a value are a wish for their names.
    case .give(["fields"], _): return source.map { Self.call("sources", [Member(name: "source", value: .text($0))]) }
    case .give(let parameters, _):
      let calls = parameters.lazy.map { [Self.member($0)] }.filter { tool.takes(arguments + $0) }
      return calls.first.map { Self.call(tool.name, arguments.filter { [name = $0[0].name] in $0.name != name } + $0) }
    case .omit(let name, _) where words.given[name] != nil:
      return Self.call(tool.name, arguments.filter { $0.name != name })
    case .either(let remedies): return remedies.lazy.compactMap { call(for: $0, about: source) }.first
    case .lengthen, .omit, .set, .check, .advice: return nil
    }
  }

  /// Remedies in the words of this face: as calls of tools, or as what a person has to do.
  var wording: Remedy.Wording { { words(for: $0, about: $1) } }

  private func words(for remedy: Remedy, about source: String?) -> String? {
    if let call = call(for: remedy, about: source) {
      return
        "call \(call["tool"]?.text ?? "") with \(String(decoding: (call["arguments"] ?? .null).bytes, as: UTF8.self))"
    }
    switch remedy {
    case .advice(let text): return text
    case .give(let parameters, let purpose):
      let known = parameters.filter { parameter in tool.parameters.contains { $0.name == parameter.name } }
      return known.isEmpty ? nil : "\(Remedy.give(known, purpose))"
    case .omit, .lengthen: return nil
    case .either(let remedies):
      return [remedies.compactMap { words(for: $0, about: source) }.joined(separator: ", or ")].first { !$0.isEmpty }
    case .ask, .set, .check: return request.server.wordsForPerson?(remedy, source).map { "a person can \($0)" }
    }
  }

  func failure(_ error: SourceError) -> ToolResult {
    let text = copy(of: error.worded(wording)) { $0.remedy = nil }
    return .failure(
      request.server.bare("\(text)"), kind: error.kind.name,
      remedy: error.remedy.flatMap { wording($0, error.source) }.map { request.server.bare($0) },
      call: error.remedy.flatMap { call(for: $0, about: error.source) })
  }

  func failure(_ error: AskError) -> ToolResult {
    switch error {
    case .unreadable(let name, let error):
      return copy(of: failure(error)) { result in
        result.beginning = result.beginning?.replacingEach("FAILED: ", with: "FAILED: \(name): ")
        result.more[0].value = "arguments"
      }
    case .unknown(let unknown):
      let mended = arguments.map { member in
        switch unknown.kind {
        case "parameter" where member.name == unknown.word:
          Member(name: unknown.nearest ?? member.name, value: member.value)
        case "source" where member.name == "source" && unknown.nearest != nil:
          Member(name: "source", value: .text(unknown.nearest ?? ""))
        default: member
        }
      }
      let others = unknown.kind == "source" ? omissions : []
      let text = (["\(error)"] + others).joined(separator: "; ")
      return .failure(text, call: mended == arguments ? nil : Self.call(tool.name, mended))
    case .missing("source"):
      let names = catalogue.sources.map(\.name).joined(separator: ", ")
      return .failure("source is missing; the sources are \(names)", call: Self.call("sources", []))
    case .invalid("limit", _) where words.given["limit"]?.last.flatMap { Int($0) } ?? 0 > Tool.mostRows:
      return .failure("\(error)", call: rest(at: [.init("limit", String(Tool.mostRows))]))
    case .foreignCursor, .invalid("cursor", _): return .failure("\(error)", call: rest(at: []))
    default: return .failure("\(error)")
    }
  }
}

extension Tool {
  /// True when it takes these arguments, and needs no others.
  fileprivate func takes(_ arguments: [Member]) -> Bool {
    arguments.allSatisfy { member in parameters.contains { $0.name == member.name } }
      && required.allSatisfy { parameter in arguments.contains { $0.name == parameter.name } }
  }
}

extension Remedy {
  /// True when somebody has to fill in a word, such as `limit=N`.
  fileprivate var hasBlank: Bool {
    let words: [String] =
      switch self {
      case .ask(let call, _): call.subjects + call.parameters.compactMap(\.value)
      case .give(let parameters, _): parameters.compactMap(\.value)
      default: []
      }
    return words.contains {
      $0.split { !$0.isLetter }.contains { ["TEXT", "ID", "N", "FIELD", "FILE", "SOURCE", "NAME"].contains($0) }
    }
  }
}
