public import AggregatorCore
import Platform
import Synchronization

/// A person's own folder, in which pictures get readable names and nothing is overwritten.
///
/// ```swift
/// let album = try PictureAlbum("pictures")
/// let name = album.name("Spider-Man", "1443")
/// let path = try album.save(picture, as: name)   // pictures/Spider-Man.jpg
/// ```
public final class PictureAlbum: Sendable {
  /// The path of the folder, as it was given.
  public let folder: String
  /// The folder from which that path begins; empty for the working directory of the process.
  private let home: String
  private let taken = Mutex<Set<String>>([])

  /// The folder at that path, seen from `home` or from the working directory of the process. It is made if it does not exist.
  public init(_ folder: String, in home: String = "") throws(SourceError) {
    (self.folder, self.home) = (folder, home)
    let path = Paths.join(home, folder)
    do throws(FileProblem) {
      try SystemFiles().makeFolder(path, permissions: 0o777)
      guard access("\(path)/.", W_OK | X_OK) == 0 else { throw .failed(SystemFiles.reason(errno)) }
    } catch {
      throw SourceError(.storage, "cannot write pictures to \(folder): \(error.reason)")
    }
  }

  /// Makes a name from the first of `texts` that is not empty. This album gives out each name only once.
  public func name(_ texts: String?...) -> PictureName {
    let name = PictureName(texts)
    return taken.withLock { taken in
      var number = 1
      while !taken.insert(name.numbered(number).description.lowercased()).inserted { number += 1 }
      return name.numbered(number)
    }
  }

  private func isTaken(_ name: PictureName) -> Bool { taken.withLock { $0.contains(name.description.lowercased()) } }

  /// Saves `picture` in the folder, and returns its path.
  ///
  /// If another file already has the name, a number follows it that no other picture of this album has, in whatever order they come. If
  /// this very picture has the name, its file stays as it is.
  public func save(_ picture: Picture, as name: PictureName) throws(SourceError) -> String {
    do throws(FileProblem) {
      for number in 1...Self.mostOfAName where number == 1 || !isTaken(name.numbered(number)) {
        let path = Paths.join(folder, "\(name.numbered(number)).\(picture.format.fileExtension)")
        let file = Paths.join(home, path)
        if try PictureFile.create(file, with: picture.bytes, mode: 0o666) { return path }
        if let bytes = try? SystemFiles().read(file, upTo: picture.bytes.count).bytes, bytes == picture.bytes { return path }
      }
    } catch {
      throw SourceError(.storage, "cannot save the picture in \(folder): \(error.reason)")
    }
    throw SourceError(.storage, "\(folder) has more than \(Self.mostOfAName) pictures named \(name)")
  }

  private static let mostOfAName = 10_000
}

/// Names for files, made from the names of records. Any text becomes a name that is safe in every folder.
public struct PictureName: Sendable, Hashable, CustomStringConvertible {
  /// The name without its ending. It is never empty, never hidden and never longer than 120 bytes, and it is a single part of a path.
  public let description: String

  /// A name made from the first of `texts` that is not empty.
  ///
  /// Characters that lead elsewhere (`/`, `..`, NUL), that terminals obey, or that some systems forbid are replaced or left out.
  public init(_ texts: String?...) { self.init(texts) }

  init(_ texts: [String?]) {
    description = texts.lazy.compactMap { $0 }.map(Self.safe).first { !$0.isEmpty } ?? "picture"
  }

  private init(safe description: String) { self.description = description }

  /// Returns the same name with a number, for another file.
  func numbered(_ number: Int) -> PictureName { number == 1 ? self : PictureName(safe: "\(description)-\(number)") }

  private static let most = 120

  private static func safe(_ text: String) -> String {
    var name = ""
    for scalar in Printable.clean(text).unicodeScalars {
      if scalar.properties.isWhitespace {
        if name.unicodeScalars.last != " " { name.unicodeScalars.append(" ") }
      } else if #"/\:*?"<>|"#.unicodeScalars.contains(scalar) {
        if name.unicodeScalars.last != "-" { name.unicodeScalars.append("-") }
      } else if isVisible(scalar) {
        name.unicodeScalars.append(scalar)
      }
    }
    return trimmed(cut(trimmed(name)))
  }

  /// True when the character shows. Invisible characters can hide one name in another.
  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned: false
    default: !scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  /// Returns the name without characters that would hide it or look like an option at its beginning, and without those
  /// that Windows drops from its end.
  private static func trimmed(_ name: String) -> String {
    let start = name.drop { " .-~".contains($0) }
    return String(start.reversed().drop { " .-".contains($0) }.reversed())
  }

  /// Returns the part of the name that fits, cut between characters. A first character with too many marks to fit leaves nothing.
  private static func cut(_ name: String) -> String {
    guard name.utf8.count > most else { return name }
    var part = ""
    for character in name {
      guard part.utf8.count + character.utf8.count <= most else { break }
      part.append(character)
    }
    return part
  }
}
