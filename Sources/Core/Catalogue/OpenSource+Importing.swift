extension OpenSource {
  /// Reads a file of records in the source's own fields (json, ndjson, csv, or tsv with a header) into the store; `note` hears from time to time how far it is.
  ///
  /// Of a repeated record the first stays, in place of what an earlier file brought; what the service gave stays as it is. A row that cannot be read is skipped and counted.
  public func importFile(at path: String, noting note: (Imported) -> Void = { _ in }) async throws -> Imported {
    let stream: FileStream
    do throws(FileProblem) {
      stream = try FileStream(path: path)
    } catch {
      throw SourceError(.unreadableFile, "cannot read \(path): \(error.reason)").from(name)
    }
    return try await importRows(from: stream, called: path, noting: note)
  }

  /// The same from a stream; a deadline or Ctrl-C ends it once what was read is stored.
  package func importRows(
    from stream: some ByteStream, called file: String, mapping mappings: [HeaderMapping] = [], noting note: (Imported) -> Void
  ) async throws -> Imported {
    var importing = Importing(into: try kept, from: stream, called: file, mapping: mappings, clock: world.clock)
    return try await importing.run(noting: note)
  }
}
