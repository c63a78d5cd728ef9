import AggregatorCore
import Platform
import ScratchFolders
import Testing

@testable import Authoring

@Suite struct WritingTests {
  @Test("a package is written to a folder of its name, and never over anything")
  func write() async throws {
    let folder = try ScratchFolder()
    let package = try SourcePackage(SourceName("things"), core: "/core")
    let path = try package.write(in: folder.path)
    #expect(path == "\(folder.path)/things")
    #expect(try SystemFiles().list(folder.path) == ["things"])
    #expect(try SystemFiles().read("\(path)/Package.swift", upTo: 1 << 20).bytes == package.files.first?.bytes)

    let error = #expect(throws: SourceError.self) { try package.write(in: folder.path) }
    #expect(error?.kind == .storage)
    #expect(error?.message == "\(path) already exists; nothing was written")
    #expect(try SystemFiles().list(folder.path) == ["things"])
  }

  @Test("a link of its name is not followed, even one that leads nowhere, and a folder that cannot be made is an error")
  func link() async throws {
    let folder = try ScratchFolder()
    symlink("\(folder.path)/elsewhere", "\(folder.path)/things")
    let package = try SourcePackage(SourceName("things"), core: "/core")
    let error = #expect(throws: SourceError.self) { try package.write(in: folder.path) }
    #expect(error?.message == "\(folder.path)/things already exists; nothing was written")
    try folder.write("file", "")
    let other = #expect(throws: SourceError.self) { try package.write(in: folder["file"]) }
    #expect(other?.message == "cannot write \(folder.path)/file/things: Not a directory")
    #expect(try SystemFiles().list(folder.path).sorted() == ["file", "things"])
  }

  @Test("the checkout is the one that this was compiled from")
  func checkout() throws {
    let root = try #require(SourcePackage.checkout)
    #expect(#filePath.hasPrefix(root + "/Tests/"))
    #expect(!SourcePackage.isCheckout("/nowhere"))
  }
}
