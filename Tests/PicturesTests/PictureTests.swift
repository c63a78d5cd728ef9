import AggregatorCore
import Testing

@testable import Pictures

struct PictureFormatTests {
  static let formats: [(PictureFormat, [UInt8], String)] = [
    (.png, Samples.png, "png"), (.jpeg, Samples.jpeg, "jpg"), (.gif, Samples.gif, "gif"), (.webp, Samples.webp, "webp"),
    (.bmp, Samples.bmp, "bmp"), (.avif, Samples.avif, "avif"), (.heic, Samples.heic, "heic"),
  ]

  @Test("a picture is told from its first bytes", arguments: formats)
  func told(format: PictureFormat, bytes: [UInt8], ending: String) {
    #expect(PictureFormat(of: bytes) == format)
    #expect(format.fileExtension == ending)
  }

  @Test("a picture that breaks off before it has said what it is, is none", arguments: formats)
  func short(format: PictureFormat, bytes: [UInt8], _: String) {
    let needed = [.png: 16, .jpeg: 3, .gif: 6, .webp: 15, .bmp: 55, .avif: 24, .heic: 16][format] ?? 0
    for count in 0..<needed { #expect(PictureFormat(of: Array(bytes.prefix(count))) == (format == .avif && count >= 16 ? .heic : nil)) }
  }

  static let others: [(String, String)] = [
    ("", "it is empty"),
    (#"<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>"#, "an SVG drawing, which can carry scripts"),
    ("<?xml version='1.0'?><!-- a --><SVG/>", "an SVG drawing"),
    ("<!DOCTYPE html><title>Gone</title>", "a web page, not a picture"),
    ("BM is how many a text begins, and this one is long enough to have sizes", "only PNG"),
    ("\u{0}\u{0}\u{0}\u{18}ftypisom\u{0}\u{0}\u{0}\u{0}mp41avc1", "only PNG"),
    ("RIFF\u{1A}\u{0}\u{0}\u{0}WAVEfmt ", "only PNG"),
    ("%PDF-1.7", "only PNG"), ("\u{7F}ELF", "only PNG"), ("#!/bin/sh", "only PNG"), (#"{"error":"no"}"#, "only PNG"),
  ]

  @Test("what is no picture is refused, and why is said", arguments: others)
  func refused(text: String, reason: String) {
    let error = #expect(throws: SourceError.self) { try PictureFormat.reading(Samples.bytes(text)) }
    #expect(error?.kind == .malformed)
    #expect(error?.message.contains(reason) == true)
  }
}
