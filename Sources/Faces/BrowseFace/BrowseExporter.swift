import AggregatorCommand
import AggregatorCore
import Asking
import Browse
import Exports
import Platform
import Presentation
import RecordFormats
import Synchronization
import Terminal

/// Writes files from the browser as `list --all -o FILE` does. What is not whole becomes FILE.partial.
struct BrowseExporter: Sendable {
  let invocation: Invocation

  /// Writes a file, and returns a sentence about it.
  func write(_ export: BrowseExport) async throws -> String {
    guard let format = Format(named: export.path), Format(rawValue: export.path) == nil, format != .report else {
      let endings = Format.endings.map(\.key).filter { $0 != ".report" }.joined(separator: ", ")
      throw SourceError(.settings, "\(export.path) has no ending of a format; use one of \(endings)")
    }
    do {
      var file = try await OutputFile(export.path, for: invocation)
      do {
        let sink = DraftSink(file.descriptor)
        let summary = try await write(export, as: format, into: sink)
        try sink.flush()
        if case .partial = summary.verdict { file.isPartial = true }
        try file.install()
        return sentence(on: export, summary, isPartial: file.isPartial)
      } catch {
        file.remove()
        throw error
      }
    } catch let error as Console.Unwritable {
      throw SourceError(.custom("file"), "\(error)")
    }
  }

  private func write(_ export: BrowseExport, as format: Format, into sink: DraftSink) async throws -> Summary {
    let title = FileTitle(export.name, question: question(of: export), isAnswer: true)
    let layout = Layout(
      isTerminal: false, width: 80, style: Style(isColored: false),
      maker: format.ofFile?.maker(title, folder: invocation.program.temporaryFolder) { $0.lacks })
    var text: String?
    if case .list(_, let ask) = export.content { text = ask.query.text }
    var renderer = format.renderer(
      export.columns, for: layout, into: sink, in: .envelope(Envelope(source: export.name, text: text, limit: nil)))
    switch export.content {
    case .records(let records, let summary):
      try renderer.begin(nil)
      try renderer.print(records)
      try renderer.end(summary)
      return summary
    case .list(let source, let ask):
      var answer = source.records(for: ask)
      var hasBegun = false
      while let records = try await answer.nextRecords() {
        if !hasBegun {
          try renderer.begin(answer.summary.origin?.worded(invocation.wording))
          hasBegun = true
        }
        renderer.mark(answer.summary.edited)
        try renderer.print(records)
      }
      try renderer.end(answer.summary)
      return answer.summary
    }
  }

  /// The line that writes the same records; for marked records the fact that a person chose them.
  private func question(of export: BrowseExport) -> String {
    guard case .list(_, let ask) = export.content else { return "records that were marked in browse" }
    let verb = ask.query.text.map { "search \(Paths.quoted($0))" } ?? "list --all"
    let order = ask.order.map { ($0.isDescending ? "-" : "") + $0.path.text }.joined(separator: ",")
    let words =
      ask.conditions.map { " --where \(Paths.quoted("\($0)"))" } + (order.isEmpty ? [] : [" --sort \(Paths.quoted(order))"])
    return "\(export.name) \(verb)\(words.joined())"
  }

  private func sentence(on export: BrowseExport, _ summary: Summary, isPartial: Bool) -> String {
    let verdict = summary.verdict.flatMap { $0 == .bounded ? nil : ", \($0.kind)" } ?? ""
    let origin = summary.origin.map { ", \($0.words(at: invocation.program.clock.now))" } ?? ""
    let records = "\(summary.given) record\(summary.given == 1 ? "" : "s")"
    return isPartial
      ? "incomplete: \(records) are in \(export.path).partial" + (summary.verdict?.reason.map { " (\($0))" } ?? "")
      : "wrote \(records) to \(export.path)\(verdict)\(origin)"
  }
}

/// Gathers what is written into larger pieces.
private final class DraftSink: Sink {
  private let descriptor: Int32
  private let waiting = Mutex<[UInt8]>([])

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  func write(_ bytes: [UInt8]) throws {
    let isFull = waiting.withLock { waiting in
      waiting += bytes
      return waiting.count >= 1 << 16
    }
    if isFull { try flush() }
  }

  func flush() throws {
    let bytes = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    if let reason = bytes.withUnsafeBytes({ Descriptor.write($0, to: descriptor) }) {
      throw SourceError(.custom("file"), "cannot write the file: \(SystemFiles.reason(reason))")
    }
  }
}
