import AggregatorCommand
import AggregatorCore
import Asking
import Services

/// `source accept`: accepts the shape that a source's rows have now as the expected one, and corrects its manifest.
enum ShapeCommand {
  static let accept = Command(
    ["source", "accept"], .one(.source), options: [.yes, .plan, .timeout, .store],
    "take the rows as due, and correct the manifest",
    examples: ["source accept countries --plan", "source accept countries --yes"]
  ) { invocation in
    let source = try invocation.source(named: invocation.arguments[0], in: "source accept SOURCE")
    let opened = try SourceQuestion(.changes, of: source, invocation).opened()
    let drift = try await opened.drift()
    guard !drift.isEmpty else {
      // The note is written all the same, so that a store that cannot be written reports it.
      if !invocation.has(.plan) { _ = try await opened.acceptShape() }
      invocation.say("\(source.name): the rows look as they did; nothing has to be accepted")
      return .success
    }
    let contents = try source.file.map { try ManifestContents(at: $0) }
    let described = contents?.manifest.sources.first { $0.name == source.name }
    let corrections = described?.corrections(for: drift) ?? []
    for correction in corrections { invocation.say("\(contents?.manifest.file ?? ""): \(correction.sentence)") }
    let corrected = Set(corrections.map(\.field))
    if invocation.has(.plan) {
      for uncorrected in drift where uncorrected.field.map({ !corrected.contains($0) }) ?? true {
        invocation.say("\(source.name): would accept that \(uncorrected.sentence)\(uncorrected.rest(corrected: corrected))")
      }
      return .success
    }
    if let contents, !corrections.isEmpty {
      guard try invocation.confirms("Write \(corrections.count == 1 ? "this" : "these") into \(contents.manifest.file)?") else {
        return .failure
      }
      try invocation.program.manifests.correct(source.name, corrections, in: contents, beside: invocation.program.catalogue)
    }
    for drift in try await opened.acceptShape(corrected: corrected) {
      invocation.say("\(source.name): accepted that \(drift.sentence)\(drift.rest(corrected: corrected))")
    }
    return .success
  }
}

extension ShapeDrift {
  /// A clause about what stays as it is all the same; empty if nothing does.
  fileprivate func rest(corrected: Set<String>) -> String {
    guard let field else { return kind == .keyless || kind == .broken ? "; these rows stay left out" : "" }
    return switch kind {
    case .absent: "; \(field) stays empty where the service does not send it"
    case .mistyped where !corrected.contains(field): "; \(field) keeps its type, so these values stay misfits"
    case .new where !corrected.contains(field): "; the description does not get it"
    default: ""
    }
  }
}
