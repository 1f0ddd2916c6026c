import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attributes, html, markupOf, webAddress, type Fill } from '#kernel/text/html.ts';

const written = (...args: Parameters<typeof html>) => markupOf(html(...args));
/** A template as it would come out of source text, to try ones that do not compile into anything sensible. */
const template = (...parts: string[]) => Object.assign(parts, { raw: parts }) as unknown as TemplateStringsArray;

describe('the template', () => {
  it('escapes text', () => expect(written`<p>${`<b>&"'`}</p>`).toBe('<p>&lt;b&gt;&amp;&quot;&#39;</p>'));

  it('keeps markup, joins arrays, drops what is absent', () => {
    const items = ['a', '<'].map((text) => html`<li>${text}</li>`);
    expect(written`<ul>${items}${undefined}${false}${true}${0}</ul>`).toBe('<ul><li>a</li><li>&lt;</li>0</ul>');
  });

  it('does not take stored JSON for markup', () => {
    const stranger = JSON.parse('{"markup":"<b>","Symbol(markup)":"<b>"}') as Fill;
    expect(() => written`<p>${stranger}</p>`).toThrow(TypeError);
  });

  it('writes attributes that depend on data', () => {
    const some = attributes({
      required: true,
      open: false,
      lang: undefined,
      title: '" onclick="x',
      href: 'javascript:x',
    });
    expect(written`<a ${some}></a>`).toBe('<a required title="&quot; onclick=&quot;x" href="#"></a>');
    expect(() => attributes({ onclick: 'x' })).toThrow(TypeError);
    expect(() => attributes({ style: 'x' })).toThrow(TypeError);
    expect(() => attributes({ 'a b': 'x' })).toThrow(TypeError);
  });

  it.each([
    ['an unquoted attribute', template('<a href=', '>'), 'x'],
    ['single quotes', template("<a href='", "'>"), 'x'],
    ['text as an attribute', template('<a ', '>'), 'onclick=x'],
    ['markup as an attribute', template('<a ', '>'), html`x`],
    ['markup in an attribute', template('<a title="', '">'), html`x`],
    ['attributes between tags', template('<p>', '</p>'), attributes({ lang: 'en' })],
    ['a tag name', template('<', '>'), 'script'],
    ['an event handler', template('<a onclick="', '">'), 'x'],
    ['a style', template('<a style="', '">'), 'x'],
    ['a script', template('<script>', '</script>'), 'x'],
    ['a style sheet', template('<STYLE>', '</STYLE>'), 'x'],
    ['a comment', template('<!-- ', ' -->'), 'x'],
    ['the beginning of an address', template('<a href="', '/x">'), 'https://a.example'],
    ['an unfinished tag', template('<p>', '</p><a href="'), 'x'],
  ])('refuses a value as %s', (_, parts, value) => expect(() => html(parts, value)).toThrow(TypeError));
});

describe('addresses', () => {
  it.each([
    ['https://a.example/x?y=1&z=2#f', 'https://a.example/x?y=1&z=2#f'],
    ['http://localhost:3000/', 'http://localhost:3000/'],
    ['/sandbox', '/sandbox'],
    ['/a?b=c#d', '/a?b=c#d'],
    ['javascript:alert(1)', '#'],
    [' java\nscript:alert(1)', '#'],
    ['data:text/html,x', '#'],
    ['vbscript:x', '#'],
    ['blob:https://a.example/1', '#'],
    ['//evil.example/x', 'http://evil.example/x'],
    ['/.//evil.example', '#'],
    ['relative', '#'],
    ['', '#'],
    ['http://', '#'],
  ])('%j becomes %j', (given, expected) => expect(webAddress(given)).toBe(expected));

  it('are checked where the attribute begins with the value, and only there', () => {
    expect(written`<a href="${'javascript:x'}">a</a>`).toBe('<a href="#">a</a>');
    expect(written`<a href="/x/${'javascript:x'}">a</a>`).toBe('<a href="/x/javascript:x">a</a>');
    expect(written`<a title="${'javascript:x'}">a</a>`).toBe('<a title="javascript:x">a</a>');
  });
});

describe('whatever is put in', () => {
  const nasty = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom('<', '>', '"', "'", '&', '/', '=', ' ', '\n', 'a', 'script', '-->', '&#60;', '`'),
    }),
  );

  it('stays text between tags and inside attributes', () => {
    fc.assert(
      fc.property(nasty, nasty, nasty, (text, title, value) => {
        const shape = /^<p title="([^"<>]*)" lang="([^"<>]*)"><b>([^"'<>]*)<\/b><\/p>$/s;
        const found = shape.exec(written`<p title="${title}" ${attributes({ lang: value })}><b>${text}</b></p>`);
        expect(found?.slice(1).map(unescape)).toEqual([title, value, text]);
      }),
      { numRuns: 500 },
    );
  });

  it('makes no address but http, https and our own paths', () => {
    const scheme = fc.constantFrom(
      'javascript:',
      'data:',
      '//',
      '/',
      '/\\',
      'http://',
      '\tjava\nscript:',
      '',
      'https:',
      '/.//',
    );
    fc.assert(
      fc.property(scheme, nasty, (start, rest) => {
        const markup = written`<a href="${`${start}${rest}`}">a</a>`;
        const address = unescape(/^<a href="([^"<>]*)">a<\/a>$/s.exec(markup)![1]!);
        const read = new URL(address, 'https://rostra.example/page');
        expect(['http:', 'https:']).toContain(read.protocol);
        if (address.startsWith('/')) expect(read.origin).toBe('https://rostra.example');
      }),
      { numRuns: 500 },
    );
  });
});

function unescape(text: string): string {
  const plain: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => plain[name]!);
}
