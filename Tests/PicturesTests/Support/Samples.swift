import AggregatorCore

@testable import Pictures

/// The beginnings of pictures: as much as tells what they are.
enum Samples {
  static let png = bytes("\u{89}PNG\r\n\u{1A}\n\u{0}\u{0}\u{0}\u{D}IHDR\u{0}\u{0}\u{0}\u{1}\u{0}\u{0}\u{0}\u{1}\u{8}\u{2}\u{0}\u{0}\u{0}")
  static let jpeg = bytes("\u{FF}\u{D8}\u{FF}\u{E0}\u{0}\u{10}JFIF")
  static let gif = bytes("GIF89a\u{1}\u{0}\u{1}\u{0}")
  static let webp = bytes("RIFF\u{1A}\u{0}\u{0}\u{0}WEBPVP8L")
  static let bmp =
    bytes("BM\u{3A}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{36}\u{0}\u{0}\u{0}\u{28}\u{0}\u{0}\u{0}") + [UInt8](repeating: 0, count: 40)
  static let avif = bytes("\u{0}\u{0}\u{0}\u{1C}ftypmif1\u{0}\u{0}\u{0}\u{0}mif1avifmiaf")
  static let heic = bytes("\u{0}\u{0}\u{0}\u{18}ftypheic\u{0}\u{0}\u{0}\u{0}mif1heic")

  /// A picture of exactly so many bytes.
  static func png(of count: Int, _ filler: UInt8 = 0) -> [UInt8] { png + [UInt8](repeating: filler, count: count - png.count) }

  static func picture(_ bytes: [UInt8] = png) throws -> Picture { Picture(bytes: bytes, format: try .reading(bytes)) }

  /// The characters' numbers as bytes.
  static func bytes(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
}

/// Addresses of pictures that do not exist.
func address(_ path: String) throws -> WebAddress {
  guard let address = WebAddress(path.hasPrefix("http") ? path : "https://pictures.example/\(path)") else { throw NoAddress() }
  return address
}

struct NoAddress: Error {}
