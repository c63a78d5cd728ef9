import AggregatorCore
import Browse
import Pictures
import Presentation
import Terminal

/// Draws pictures for the browser: by kitty's protocol where supported, by `chafa` where installed.
struct PicturePainter: PictureDrawer {
  private let pictures: PictureCache
  private let isKitty: Bool
  private let chafa: Chafa?

  /// Nil where nothing can be drawn.
  init?(_ invocation: Invocation, in world: Surroundings, isColored: Bool) {
    let program = invocation.program
    isKitty = KittyGraphics.isSpoken(in: program.environment)
    chafa = Chafa(program.environment, isColored: isColored, clock: program.clock)
    guard isKitty || chafa != nil else { return nil }
    pictures = PictureCache(in: world, folder: program.pictureFolder)
  }

  /// The picture, no larger than asked for.
  func draw(_ request: PictureRequest) async throws -> DrawnPicture {
    let picture = try await pictures.picture(at: request.address)
    try Task.checkCancellation()
    if isKitty, let pixels = await pixels(of: picture, for: request) { return pixels }
    let output = await output(of: picture, for: request, asPixels: false) ?? []
    try Task.checkCancellation()
    if let drawn = CharacterPicture(output, columns: request.columns, rows: request.rows) { return .characters(drawn) }
    throw SourceError(.custom("picture"), chafa == nil ? "its picture is no PNG; chafa would draw it" : "chafa cannot draw its picture")
  }

  private func pixels(of picture: Picture, for request: PictureRequest) async -> DrawnPicture? {
    let size = TerminalSize(ofTerminalAt: 1) ?? TerminalSize(columns: request.columns, rows: request.rows)
    let found: KittyPicture? =
      if picture.format == .png, picture.bytes.count <= Self.largestPNG {
        KittyPicture(png: picture.bytes)
      } else {
        await output(of: picture, for: request, asPixels: true).flatMap { KittyPicture(shownBy: $0) }
      }
    guard let found else { return nil }
    let extent = found.extent(request.columns, request.rows, on: size)
    return .pixels(found, columns: extent.columns, rows: extent.rows)
  }

  /// More than this is not sent to a terminal as it is.
  private static let largestPNG = 1 << 20

  /// What `chafa` writes, on a thread of its own: a task must not wait for another program.
  private func output(of picture: Picture, for request: PictureRequest, asPixels: Bool) async -> [UInt8]? {
    guard let chafa, let path = picture.path else { return nil }
    let wish = Child.Wish()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let draw: @Sendable () -> Void = {
          continuation.resume(
            returning: chafa.draw(path, in: (request.columns, request.rows), asPixels: asPixels, colors: 256, as: wish))
        }
        if !SystemThread.start(draw) { continuation.resume(returning: nil) }
      }
    } onCancel: {
      wish.end()
    }
  }
}
