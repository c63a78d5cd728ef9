import AggregatorCommand
import AggregatorCore
import Browse
import Pictures
import Terminal

extension PictureDrawer {
  /// Returns the picture as a part of the screen, no larger than the request asks for.
  func draw(_ picture: Picture, for request: PictureRequest) async throws -> DrawnPicture {
    let extent = (columns: request.columns, rows: request.rows)
    if isKitty, let pixels = await pixels(of: picture, in: extent) {
      let size = TerminalSize(ofTerminalAt: 1) ?? TerminalSize(columns: extent.columns, rows: extent.rows)
      let taken = pixels.extent(extent.columns, extent.rows, on: size)
      return .pixels(pixels, columns: taken.columns, rows: taken.rows)
    }
    // The cells of the screen have at most 256 colours.
    let output = await output(of: picture.path, in: extent, asPixels: false, colors: 256) ?? []
    try Task.checkCancellation()
    if let drawn = CharacterPicture(output, columns: extent.columns, rows: extent.rows) { return .characters(drawn) }
    throw SourceError(
      .custom("picture"), chafa == nil ? "its picture is not a PNG; install chafa to draw it" : "chafa cannot draw its picture")
  }

  private static let largestPNG = 1 << 20

  private func pixels(of picture: Picture, in extent: (columns: Int, rows: Int)) async -> KittyPicture? {
    if picture.format == .png, picture.bytes.count <= Self.largestPNG { return KittyPicture(png: picture.bytes) }
    return await output(of: picture.path, in: extent, asPixels: true).flatMap { KittyPicture(shownBy: $0) }
  }
}
