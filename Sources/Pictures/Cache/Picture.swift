/// A picture, whole and checked to be one.
public struct Picture: Sendable, Hashable {
  public let bytes: [UInt8]
  public let format: PictureFormat
  /// Where it is kept on disk; nil if it is in memory only.
  public internal(set) var path: String?
}

/// How much the cache may take.
public struct PictureLimits: Sendable, Hashable {
  /// The largest picture that is taken.
  public var pictureBytes = 20 << 20
  public var memoryBytes = 32 << 20
  public var diskBytes = 256 << 20

  public init() {}
}
