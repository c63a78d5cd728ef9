import AggregatorCore
import Asking
import RecordFormats

/// `audit`: compares what is stored with a random part of what the service says now.
enum AuditCommand {
  static let command = SourceCommand(
    .audit, options: Option.printing + [.store, .plan, .explain], printing: { _ in AuditAnswer.fields.map { $0.outline } },
    examples: { _ in ["", "--requests 100 --seed 7"] },
    refusing: { UsageError(unauditable: $0) },
    planning: { question, source in
      _ = try await source.audit(question.ask, question.reading(AuditWishes.init(reading:)))
      return "everything was compared"
    }
  ) { question, source in
    let wishes = try question.reading(AuditWishes.init(reading:))
    let answer = try await [question].recorded {
      try await EventPrinter(question).during { try await source.audit(question.ask, wishes) }
    }
    let invocation = question.invocation
    try invocation.print(answer, of: AuditAnswer.fields, inWords: answer.lines)
    invocation.say(
      "\(source.name): type '\(invocation.program.name) \(source.name) audit --seed \(answer.audit.seed)' to repeat it")
    return answer.audit.findsFaults ? .partial : .success
  }

  static let all = Command(
    ["audit"], .any(.source), options: Verb.audit.parameters.map(Option.of) + Option.printing + [.store, .explain],
    printing: AuditAnswer.fields.map { $0.outline },
    "compare a random part of what is stored; of these sources, or of all",
    examples: ["audit --requests 50", "audit countries products --format json"]
  ) { invocation in
    for name in invocation.arguments {
      if let source = invocation.program.catalogue[name], source.isEndless { throw UsageError(unauditable: source) }
    }
    let (sources, missing) = try invocation.endingSources(in: "audit SOURCE")
    let world = try await invocation.askingWorld(of: sources)
    var (answers, leftOut, codes) = ([AuditAnswer](), [String](), [missing])
    for source in sources {
      do {
        let question = try SourceQuestion(.audit, of: source, invocation)
        let opened = try question.opened(in: world)
        let wishes = try question.reading(AuditWishes.init(reading:))
        let answer = try await EventPrinter(question, showsProgress: false).during {
          try await opened.audit(question.ask, wishes)
        }
        answers.append(answer)
        if answer.audit.findsFaults { codes.append(.partial) }
        guard !invocation.has(.format) else { continue }
        try invocation.program.console.write(answer.lines.map { Printable.clean("\(source.name): \($0)") + "\n" }.joined())
        try invocation.program.console.flush()
      } catch let error as SourceError {
        // Of all sources those are compared of which a sync has stored the present list.
        guard error.kind == .notStored, invocation.arguments.isEmpty else {
          codes.append(invocation.tell(failure: error))
          continue
        }
        leftOut.append(source.name)
      }
    }
    if invocation.has(.format) { try invocation.printRows(answers) }
    if !leftOut.isEmpty {
      let names = leftOut.joined(separator: ", ")
      invocation.say(
        "left out, since no sync of the present list has ended: \(names); type '\(invocation.program.name) status'")
    }
    return .ofSeveral(codes)
  }
}

extension UsageError {
  /// Makes the error for a list without an end.
  fileprivate init(unauditable source: SourceDescriptor) {
    self.init(
      "\(source.name) has no end, so that no count of it could be compared; an audit would only show whether the same rows come again"
    )
  }
}
