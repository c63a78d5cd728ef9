import AggregatorCore
import Asking
import Pictures
import RecordFormats
import Terminal

/// `image ID`: shows the pictures of one record if the terminal can, and prints where they are.
enum ImageCommand {
  static let command = SourceCommand(
    .image, .one(.record), options: [.save] + Option.observing, examples: { _ in ["ID", "ID --save pictures"] }
  ) { try await run($0, $1) }

  private static func run(_ question: SourceQuestion, _ source: OpenedSource) async throws -> ExitCode {
    // The folder to save them in; nil if the cache is enough.
    let album = try question.invocation.value(.save).map { folder throws(SourceError) in
      try PictureAlbum(folder, in: question.program.workingDirectory)
    }
    let pictures = question.pictures(in: source.world)
    let shown = try await question.asking {
      try await source.show(question.invocation.arguments[0], question.ask, beginning: question.originTeller())
    }
    let (title, addresses) = (shown.record.title ?? shown.record.id, shown.record.pictures)
    guard !addresses.isEmpty else { throw SourceError(.notFound, "\"\(title)\" has no picture").from(source.name) }
    for notice in shown.notices { question.say(notice) }
    // The path or the error of each picture. The pictures themselves are not held in memory: there may be many.
    var paths = addresses.map { _ in Result<String?, any Error>.success(nil) }
    let wanted = addresses.map { (album?.name(title, shown.record.id), $0) }
    try await question.asking {
      try await question.fetch(wanted, from: pictures, into: album) { paths[$0] = $1 }
    }
    var failures: [any Error] = []
    for case .failure(let error) in paths { failures.append(error) }
    if failures.count == paths.count, let first = failures.first { throw first }
    for case (.success(let path), let address) in zip(paths, addresses) { try await show(pictures, address, path, question) }
    for failure in failures { question.invocation.say("\(failure)") }
    return question.checked(failures.isEmpty ? .success : .partial, shown.unmet)
  }

  private static func show(_ pictures: PictureCache, _ address: WebAddress, _ path: String?, _ question: SourceQuestion)
    async throws
  {
    let (program, console) = (question.program, question.program.console)
    let canShow = console.isOutputTerminal && program.environment["TERM"] != "dumb"
    let drawer = canShow ? PictureDrawer(program, isColored: question.invocation.style.isColored) : nil
    let size = console.outputSize ?? TerminalSize(columns: console.width(program.environment), rows: 24)
    let shown = try await drawer?.sequence(showing: pictures.picture(at: address), at: path, on: size)
    if let shown { try console.write(shown) }
    if let path {
      try console.write(path + "\n")
    } else if shown == nil {
      throw SourceError(.storage, "no folder to save the picture in", remedy: "name one with --save DIR").from(
        question.descriptor.name)
    }
  }
}
