import { describe, expect } from 'vitest';
import { missing } from '../../clients/chromium.ts';
import { it } from './stage.ts';

const MARKUP = [
  '<script>alert(1)</script>',
  '</main><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<iframe src=javascript:alert(1)>',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '<a href=javascript:alert(1)>x</a>',
  '<body onload=alert(1)>',
  '<math><mtext></math><img src=x onerror=alert(1)>',
  '<style>*{display:none}</style>',
  '<link rel=stylesheet href=//evil.example/x.css>',
  '<base href=//evil.example/>',
  '<meta http-equiv=refresh content="0;url=//evil.example">',
  '<form action=//evil.example><button>x</button></form>',
  '<template><img src=x onerror=alert(1)></template>',
];
const BREAKOUTS = [
  '" onfocus="alert(1)" autofocus="',
  "' onfocus='alert(1)' autofocus='",
  '"><script>alert(1)</script>',
  '`${alert(1)}`',
  '{{constructor.constructor("alert(1)")()}}',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&quot;&gt;&#60;script&#62;',
  '--><script>alert(1)</script><!--',
  ']]><script>alert(1)</script>',
  '\\u003cscript\\u003ealert(1)\\u003c/script\\u003e',
  '{"__proto__":{"x":1}}',
  '__proto__',
  'constructor',
  'javascript:alert(1)',
  '\u202Egnp.exe',
  '${7*7} #{7*7} <%= 7*7 %>',
];
const PAYLOADS = [...MARKUP, ...BREAKOUTS];
/** As names of brands, which lose direction marks. */
const NAMES = PAYLOADS.map((payload) => payload.replace('\u202E', ''));

describe.skipIf(missing !== '')(`names and texts of strangers${missing}`, () => {
  it('are text on every page', async ({ stage: { page, rest, root, account, complaints } }) => {
    expect(PAYLOADS).toHaveLength(32);
    page.on('dialog', () => complaints.push('something ran'));
    const at = (minutes: number) => new Date(Date.now() + (60 + minutes) * 60_000).toISOString();
    for (const [nth, payload] of PAYLOADS.entries()) {
      await rest('POST /v1/posts', { text: payload, account_ids: [account.id], scheduled_at: at(nth) });
      await rest('POST /v1/brands', { name: payload });
    }
    const textsOf = (selector: string) => {
      const read = '(all) => all.map((one) => one.value ?? one.textContent)';
      return page.evaluate(`(${read})([...document.querySelectorAll(${JSON.stringify(selector)})])`) as Promise<
        string[]
      >;
    };
    const shows = async (expected: readonly string[], path: string, selector: string, more?: string) => {
      await page.goto(`${root}${path}`);
      await page.locator('main h1').waitFor();
      if (more !== undefined) await page.getByRole('button', { name: more }).click();
      const missed = async () => {
        const seen = await textsOf(selector);
        return expected.filter((payload) => !seen.includes(payload));
      };
      await expect.poll(missed, { message: path }).toEqual([]);
    };
    await shows(PAYLOADS, '/dashboard/posts?view=scheduled', '.words bdi', 'Show more');
    await shows(NAMES, '/dashboard/accounts', '#brands ~ ul input:not([type=hidden])');
    await shows(NAMES, '/dashboard/keys', '.tick span');
    await page.goto(`${root}/dashboard`);
    await page.getByText(PAYLOADS[0]!, { exact: true }).first().waitFor();
    expect(complaints).toEqual([]);
  });
});
