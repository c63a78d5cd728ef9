public import AggregatorCore
import Platform
import Synchronization

/// A person's own folder, into which pictures go under readable names and in which nothing is overwritten.
///
/// ```swift
/// let album = try PictureAlbum("pictures")
/// let name = album.name("Spider-Man", "1443")
/// let path = try album.save(picture, as: name)   // pictures/Spider-Man.jpg
/// ```
public final class PictureAlbum: Sendable {
  public let folder: String
  /// Where it lies, if not in the working directory of the process.
  private let home: String
  private let taken = Mutex<Set<String>>([])

  /// The folder at that path, seen from `home` or from the working directory of the process, made if it is not there.
  public init(_ folder: String, in home: String = "") throws(SourceError) {
    (self.folder, self.home) = (folder, home)
    do {
      try SystemFiles().makeFolder(Paths.join(home, folder), permissions: 0o777)
      try PictureFile.checkWritable(Paths.join(home, folder))
    } catch {
      throw SourceError(.storage, "cannot write pictures to \(folder): \(error.reason)")
    }
  }

  /// A name made of the first of `texts` that is not empty, given out once by this album.
  public func name(_ texts: String?...) -> PictureName {
    let name = PictureName(texts)
    var number = 1
    while !take(name.numbered(number)) { number += 1 }
    return name.numbered(number)
  }

  /// False for a name that was given to somebody.
  private func take(_ name: PictureName) -> Bool { taken.withLock { $0.insert(name.description.lowercased()).inserted } }

  private func isTaken(_ name: PictureName) -> Bool { taken.withLock { $0.contains(name.description.lowercased()) } }

  /// Puts `picture` into the folder, and says where.
  ///
  /// Where another file has the name already, a number follows it that no other picture of this album has, in whatever order they
  /// come; where this very picture has it, it stays as it is.
  public func save(_ picture: Picture, as name: PictureName) throws(SourceError) -> String {
    do throws(FileProblem) {
      for number in 1...Self.mostOfAName where number == 1 || !isTaken(name.numbered(number)) {
        let path = Paths.join(folder, "\(name.numbered(number)).\(picture.format.fileExtension)")
        let place = Paths.join(home, path)
        if try PictureFile.create(place, with: picture.bytes, mode: 0o666) { return path }
        if let bytes = try? SystemFiles().read(place, upTo: picture.bytes.count).bytes, bytes == picture.bytes { return path }
      }
    } catch {
      throw SourceError(.storage, "cannot save the picture in \(folder): \(error.reason)")
    }
    throw SourceError(.storage, "\(folder) has more than \(Self.mostOfAName) pictures named \(name)")
  }

  private static let mostOfAName = 10_000
}
