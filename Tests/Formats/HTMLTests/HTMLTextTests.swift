import AggregatorCore
import HTML
import ProcessorTime
import SourceTesting
import Testing

@Suite struct HTMLTextTests {
  static let base = WebAddress("https://comicvine.gamespot.com/spider-man/4005-1443/")

  private func plain(_ html: String) -> String { HTMLText.plain(html, base: Self.base) }

  @Test(
    "HTML is laid out as plain text",
    arguments: [
      ("", ""), ("  a \n\t b  ", "a b"), ("<p>a</p><p>b</p>", "a\n\nb"), ("<p>a<p>b", "a\n\nb"), ("a<br>b<br/>c", "a\nb\nc"),
      ("a<br><br><br>b", "a\n\nb"), ("<h2>Origin</h2><p>Bitten.</p>", "Origin\n\nBitten."), ("x<h3>Y</h3>z", "x\n\nY\n\nz"),
      ("<p>&nbsp;</p><p>a&nbsp;b</p>", "a b"), ("a<b>b</b> <i>c</i>", "ab c"), ("<div>a</div><div>b</div>", "a\nb"),
      ("<table><tr><th>Name</th><td>Peter</td></tr><tr><td>Age</td></tr></table>", "Name Peter\nAge"), ("a<hr>b", "a\n\nb"),
      ("<b>\u{A0}x\u{A0}</b>", "x"), ("é<p>東京 £5</p>", "é\n\n東京 £5"),
    ])
  func layout(html: String, expected: String) { #expect(plain(html) == expected) }

  @Test(
    "the items of HTML lists are marked",
    arguments: [
      ("<p>Powers:</p><ul><li>Flight</li><li>Strength</li></ul><p>End", "Powers:\n\n- Flight\n- Strength\n\nEnd"),
      ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
      ("<ul><li><p>a</p></li><li><p>b</p></li></ul>", "- a\n- b"),
      ("<ul><li>a<ol><li>b</li></ol></li><li>c</li></ul>", "- a\n  1. b\n- c"), ("<ul><li></li><li>a</li></ul>", "- a"),
      ("<li>a</li>b", "- a\nb"),
      ("<ul><li>a<p>more</p></li></ul>", "- a\n  more"), ("</ul></li>a", "a"), ("a<ul><li><br>b</li></ul>", "a\n\n- b"),
      ("<ul><li>a</li><li><br>b</li></ul>", "- a\n- b"),
    ])
  func lists(html: String, expected: String) { #expect(plain(html) == expected) }

  @Test(
    "the text of HTML shows the addresses of links",
    arguments: [
      ("<a href='/batman/4005-1699/'>Batman</a>!", "Batman (https://comicvine.gamespot.com/batman/4005-1699/)!"),
      ("<a href=../../x>x</a>", "x (https://comicvine.gamespot.com/x)"),
      ("<a href=\"//a.b/c?d=1&amp;e=2\">c</a>", "c (https://a.b/c?d=1&e=2)"),
      ("<a href='https://a.b/'>https://a.b/</a>", "https://a.b/"), ("<a href='https://a.b/'>a.b</a>", "a.b"),
      ("see <a href='http://b/'>b</a>", "see b"),
      ("<li><a href='http://b/'>http://b</a>", "- http://b"), ("<a href='http://man/'>Batman</a>", "Batman (http://man/)"),
      ("<a href='javascript:alert(1)'>x</a>", "x"), ("<a href='data:text/html,x'>x</a>", "x"), ("<a href='mailto:a@b'>x</a>", "x"),
      ("<a href='#top'>x</a>", "x"),
      ("<a name=x>x</a>", "x"), ("<a href>x</a>", "x"), ("<a href href='/y'>x</a>", "x"),
      ("<a href='/y'><img src='data:image/png;base64,AA'></a>z", "z"),
      ("<a href=' /a b\n'>x</a>", "x (https://comicvine.gamespot.com/a%20b)"),
      ("<a href='/y'>x <a href='/z'>w", "x (https://comicvine.gamespot.com/y) w (https://comicvine.gamespot.com/z)"),
      ("a <a href='/y'>x </a>b", "a x (https://comicvine.gamespot.com/y) b"),
      ("<A data-href='/n' HREF = '/y' href='/z'>x</A>", "x (https://comicvine.gamespot.com/y)"),
      ("<a / href=/y>x</a>", "x (https://comicvine.gamespot.com/y)"),
      ("<a href='/?a=1&copy=2'>x</a>", "x (https://comicvine.gamespot.com/?a=1&copy=2)"), ("<a href='http://me:pw@a/'>x</a>", "x"),
      ("<a href='http://a&#x202E;b/'>x</a>", "x (http://ab/)"),
    ])
  func links(html: String, expected: String) { #expect(plain(html) == expected) }

  @Test("without a base only absolute links are shown")
  func noBase() {
    #expect(HTMLText.plain("<a href='/y'>x</a> <a href='http://b/c'>z</a>", base: nil) == "x z (http://b/c)")
  }

  @Test(
    "entities in HTML are decoded",
    arguments: [
      ("&eacute;&Eacute;&szlig;&ntilde;", "éÉßñ"), ("&mdash;&hellip;&ldquo;&rdquo;&lsquo;&euro;&trade;", "—…“”‘€™"),
      ("&#233;&#xE9;&#XE9;x", "éééx"), ("&lt;b&gt; &amp;amp; &quot;&apos;", "<b> &amp; \"'"), ("AT&T &copy 2020", "AT&T &copy 2020"),
      ("&#146;&#x80;&#150;", "’€–"),
      ("&#0;&#xD800;&#x110000;", "\u{FFFD}\u{FFFD}\u{FFFD}"),
      ("&; &# &#x; &#; &nosuch; & &", "&; &# &#x; &#; &nosuch; & &"),
      ("&CounterClockwiseContourIntegral;&zwj;&bne;", "∳\u{200D}=⃥"), ("a&#10;&Tab;&#32;b", "a b"),
      ("&#27;[31mred&#x1B;&#7;&#x2028;&#x202E;x", "red x"), ("&#x1B;<p>a</p>&#x1B;", "a"),
      ("&#x1F577;", "🕷"), ("&bull &hellip", "&bull &hellip"),
    ])
  func entities(html: String, expected: String) { #expect(plain(html) == expected) }

  @Test(
    "everything in HTML that is not text is left out",
    arguments: [
      "a<!-- x -->b", "a<!-->b", "a<!--->b", "a<!-- > -- -->b", "a<script>x<b></script >b", "a<STYLE>p{}</style>b",
      "a<script>'</scripty>'</script>b",
      "a<figure><img src=x><figcaption>x</figcaption></figure>b", "a<noscript>x</noscript>b", "a<svg><title>x</title>x</svg>b",
      "a<svg/>b", "a<iframe/>x</iframe>b", "a<svg/>b<svg>x</svg>",
      "a<template>x</template>b", "a<iframe src=x>x</iframe>b", "<head><title>x</title></head>ab",
      "<!DOCTYPE html>ab", "a<?xml x?>b", "a<![CDATA[x]]>b", "a</ x>b", "a<img alt='>' src=\"data:x>\">b", "a\0b", "a<x:y z>b", "a<b\0>b",
    ])
  func gone(html: String) { #expect(plain(html) == "ab") }

  @Test(
    "broken markup loses the markup rather than the text",
    arguments: [
      ("a < b", "a < b"), ("1 <2 <", "1 <2 <"), ("a<b", "a"), ("a <y and more", "a <y and more"), ("a <a href=\"/cut", "a"),
      ("a <a href='x<b", "a"),
      ("a<!-- b", "a b"), ("a<figure>b", "ab"), ("a<svg>b<noscript>c", "abc"), ("a<script>b", "a"), ("a</", "a"),
      ("a<i title='>b</i>c", "abc"),
      ("a<i title=it's>b</i>c", "abc"), ("a<i \">b", "ab"), ("a</b", "a"), ("a<figure>x</figure>b<figure>c", "abc"),
      ("a<script>x</script", "a"),
    ])
  func broken(html: String, expected: String) { #expect(plain(html) == expected) }

  @Test("the text of any HTML is clean and trimmed")
  func hostile() {
    let dice = SeededDice(seed: 17)
    let pool = [
      "<", ">", "</", "/", "p", "a", " href=", "\"", "'", "=", "!--", "--", "script", "figure", "<li>", "<ul>", "<ol>", "</a>",
      "<a href='/x'>", "&", "#", "x41", ";", "amp",
      "\0", "\u{1B}]", "\u{9B}", "é", " ", "\n", "<br>", "\u{A0}", "<svg>", "</svg>", "<head>", "body", "<style>", "</style>",
    ]
    for _ in 0..<2000 {
      let html = (0..<dice.index(below: 24)).map { _ in pool[dice.index(below: pool.count)] }.joined()
      let text = plain(html)
      let isClean = Printable.clean(text, lines: .kept) == text && !text.contains("\n\n\n") && text.first != "\n" && text.last != "\n"
      #expect(isClean, "\(html.debugDescription)")
    }
  }

  @Test(
    "hostile repetition takes linear time and space",
    arguments: [
      "<!--", "<a \">", "<a x=\">\" ", "<a x=\">\"", "<a href='", "<ul>", "<ul><li>a", "<figure>", "<figure></figure", "</p", "<!", "&",
      "&#", "&aaaaaaaa", "<svg><title>", "<a",
      "<script", "<a href=/>x", "\u{1B}]", "<head><figure>", "<x y='>'=\"",
    ])
  func linear(piece: String) {
    let html = String(repeating: piece, count: 131_072 / piece.utf8.count)
    #expect(plain(html).utf8.count < 20 * html.utf8.count)
    #expect(plain(html + "'\"=\">").utf8.count < 20 * html.utf8.count)
    let start = String(html.prefix(8_192 / piece.utf8.count * piece.count))
    LinearTime.expect(
      "128 kB for 8 kB of \(piece)", factor: 16, small: { _ = plain(start + "'\"=\">") }, large: { _ = plain(html + "'\"=\">") })
  }
}
