import AggregatorCore

/// A picture that is complete, and was checked to be one.
public struct Picture: Sendable, Hashable {
  /// The file as it was sent.
  public let bytes: [UInt8]
  /// The format, as the bytes show it.
  public let format: PictureFormat
  /// The path of the file in which it is stored; nil if it is in memory only.
  public internal(set) var path: String?
}

/// The limits of a cache of pictures.
public struct PictureLimits: Sendable, Hashable {
  /// The size of the largest picture that is accepted, in bytes.
  public var pictureBytes = 20 << 20
  /// The greatest size of all pictures in memory together, in bytes.
  public var memoryBytes = 32 << 20
  /// The greatest size of all pictures on disk together, in bytes.
  public var diskBytes = 256 << 20

  /// The default limits: 20 MiB for a picture, 32 MiB in memory, 256 MiB on disk.
  public init() {}
}

/// The format of a picture, as its bytes show it. Anything that a service says about the format is ignored.
public enum PictureFormat: String, CaseIterable, Sendable, Hashable {
  /// The known formats; data in any other format do not count as a picture.
  case png, jpeg, gif, webp, bmp, avif, heic

  /// The ending of the names of such files.
  public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

  /// The format of `bytes`; nil if it is not one of these.
  public init?(of bytes: [UInt8]) {
    let known: [(PictureFormat, ([UInt8]) -> Bool)] = [
      (.png, { $0.has("\u{89}PNG\r\n\u{1A}\n", at: 0) && $0.has("IHDR", at: 12) }),
      (.jpeg, { $0.has("\u{FF}\u{D8}\u{FF}", at: 0) }),
      (.gif, { $0.has("GIF87a", at: 0) || $0.has("GIF89a", at: 0) }),
      (.webp, { $0.has("RIFF", at: 0) && $0.has("WEBPVP8", at: 8) }),
      (.bmp, { $0.isBitmap }),
      (.avif, { !$0.brands.isDisjoint(with: ["avif", "avis"]) }),
      (.heic, { !$0.brands.isDisjoint(with: ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"]) }),
    ]
    guard let found = known.first(where: { $0.1(bytes) }) else { return nil }
    self = found.0
  }
}

extension PictureFormat {
  /// Returns the format of `bytes`. Throws the error that says why they are not accepted.
  static func reading(_ bytes: [UInt8]) throws(SourceError) -> PictureFormat {
    if let format = PictureFormat(of: bytes) { return format }
    throw SourceError(.malformed, complaint(about: bytes))
  }

  private static func complaint(about bytes: [UInt8]) -> String {
    if bytes.isEmpty { return "it is empty" }
    let beginning = String(decoding: bytes.prefix(1024), as: UTF8.self).lowercased()
    // An SVG drawing is a program for its viewer, with scripts, links, and files of the machine on which it is opened.
    if beginning.contains("<svg") { return "it is an SVG drawing, which can carry scripts; only \(accepted) are accepted" }
    if beginning.contains("<html") || beginning.contains("<!doctype html") { return "it is a web page, not a picture" }
    return "its format is unknown; only \(accepted) are accepted"
  }

  private static let accepted = "PNG, JPEG, GIF, WebP, BMP, AVIF and HEIC"
}

// MARK: - Beginnings of the formats

extension [UInt8] {
  /// True when the bytes at that index are the numbers of these characters.
  fileprivate func has(_ characters: StaticString, at index: Int) -> Bool {
    var index = index
    for scalar in String(describing: characters).unicodeScalars {
      guard index < count, UInt32(self[index]) == scalar.value else { return false }
      index += 1
    }
    return true
  }

  /// True for a bitmap. Many texts begin with "BM" too, so the sizes that follow must make sense.
  fileprivate var isBitmap: Bool {
    guard has("BM", at: 0), count > 26, let pixels = number(at: 10), let header = number(at: 14) else { return false }
    return [12, 40, 52, 56, 64, 108, 124].contains(header) && pixels >= 14 + header && pixels < count
  }

  /// The brands that a file of ISO's base media format (ISO 14496-12, section 4.3) names; films name theirs too.
  fileprivate var brands: Set<String> {
    guard has("ftyp", at: 4), count >= 16 else { return [] }
    let length = self[..<4].reduce(0) { $0 << 8 | Int($1) }
    let end = Swift.min(length, count, 256)
    // The second word is a version.
    let offsets = [8] + stride(from: 16, through: end - 4, by: 4)
    return Set(offsets.map { String(decoding: self[$0..<$0 + 4], as: UTF8.self) })
  }

  /// Returns the number in four bytes, the lowest byte first; nil if they are not all there.
  fileprivate func number(at index: Int) -> Int? {
    index + 4 <= count ? self[index..<index + 4].reversed().reduce(0) { $0 << 8 | Int($1) } : nil
  }
}
