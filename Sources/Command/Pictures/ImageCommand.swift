import AggregatorCore
import Asking
import Pictures
import Presentation
import Terminal

/// `image ID`: the pictures of one record, shown where the terminal can, and where they are.
struct ImageCommand {
  let question: SourceQuestion
  let pictures: PictureCache
  /// Where they are saved; nil if the cache will do.
  let album: PictureAlbum?

  /// The command of a source whose records have pictures.
  static func command(of source: SourceDescriptor) -> Command? {
    guard source.fields.hasPictures else { return nil }
    return Command(
      [source.name, "image"], .one(.record), options: [.save] + Option.asking,
      "show the pictures of one record where the terminal can, and print their paths",
      examples: source.examples("image", ["ID", "ID --save pictures"])
    ) { invocation in
      let question = try SourceQuestion(.record(invocation.arguments.first ?? ""), of: source, invocation)
      if let code = try await question.plannedAnswer() { return code }
      let album = try invocation.value(.save).map { folder throws(SourceError) in
        try PictureAlbum(folder, in: invocation.program.workingDirectory)
      }
      let world = try question.world()
      return try await ImageCommand(question: question, pictures: question.pictures(in: world), album: album).run(
        question.opened(in: world))
    }
  }

  private func run(_ source: some SourceSession) async throws -> ExitCode {
    let (shown, title, addresses) = try await question.asking {
      try await source.pictures(of: question.invocation.arguments[0], question.ask, beginning: OriginsTold(question).tell)
    }
    for notice in shown.notices { question.say(notice) }
    let names = addresses.map { _ in album?.name(title, shown.item.id) }
    let outcomes = try await outcomes(of: addresses, names)
    var failures: [any Error] = []
    for case .failure(let error) in outcomes { failures.append(error) }
    if failures.count == outcomes.count, let first = failures.first { throw first }
    for (outcome, address) in zip(outcomes, addresses) {
      if case .success(let path) = outcome { try await show(address, path) }
    }
    for failure in failures { question.program.notices(question.invocation).say("\(failure)") }
    return question.checked(failures.isEmpty ? .success : .partial, shown.unmet)
  }

  /// Where each picture is, or what went wrong with it. The pictures themselves are not kept: there may be many.
  private func outcomes(
    of addresses: [WebAddress], _ names: [PictureName?]
  ) async throws -> [Result<String?, any Error>] {
    var outcomes = addresses.map { _ in Result<String?, any Error>.success(nil) }
    let wanted = addresses.indices.map { (tag: $0, address: addresses[$0]) }
    try await question.asking {
      try await pictures.fetch(wanted, by: question.ask.deadline, clock: question.program.clock) { index, result in
        outcomes[index] = Result { try path(of: result.get(), names[index]) }.mapError(question.told)
      }
    }
    return outcomes
  }

  private func path(of picture: Picture, _ name: PictureName?) throws -> String? {
    guard let album, let name else { return picture.path }
    return try album.save(picture, as: name)
  }

  private func show(_ address: WebAddress, _ path: String?) async throws {
    let console = question.program.console
    let shown = try await sequence(showing: address, path)
    if let shown { try console.write(shown) }
    if let path {
      try console.write(path + "\n")
    } else if shown == nil {
      throw SourceError(.storage, "there is no folder to save the picture in", remedy: "name one with --save DIR").from(
        question.descriptor.name)
    }
  }

  /// What shows a picture on the terminal; nil where nothing can.
  private func sequence(showing address: WebAddress, _ path: String?) async throws -> [UInt8]? {
    let program = question.program
    guard program.console.isOutputTerminal, program.environment["TERM"] != "dumb",
      let drawer = PictureDrawer(program, isColored: program.style(question.invocation).isColored)
    else { return nil }
    let size = program.console.outputSize ?? TerminalSize(columns: program.console.width(program.environment), rows: 24)
    return try await drawer.sequence(showing: pictures.picture(at: address), at: path, on: size)
  }
}
