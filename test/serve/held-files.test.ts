import { expect, it } from 'vitest';
import { refuseFiles, withStoredFiles } from '#serve/held-files.ts';

const link = 'https://a.example/page';

it('leaves the page of a link card as it is, and stores its picture', async () => {
  const asked: string[] = [];
  const card = { source: link, title: 'Page', thumbnail: { source: 'https://a.example/p.png' } };
  const stored = await withStoredFiles({ platform_data: { linkedin: { article: card } } }, async (url) => {
    asked.push(url);
    return 'med_1';
  });
  const thumbnail = { source: 'med_1', source_type: 'media_id' };
  expect([stored, asked]).toEqual([
    { platform_data: { linkedin: { article: { ...card, thumbnail } } } },
    ['https://a.example/p.png'],
  ]);
  expect(() => refuseFiles(stored)).not.toThrow();
});

it('takes the id of a media item without its type for one', async () => {
  const input = { media: [{ source: 'med_1' }], targets: [{ media: [{ source: link }] }] };
  const stored = await withStoredFiles(input, async () => 'med_2');
  expect(stored).toEqual({
    media: [{ source: 'med_1' }],
    targets: [{ media: [{ source: 'med_2', source_type: 'media_id' }] }],
  });
  expect(() => refuseFiles(stored)).not.toThrow();
});

it('refuses files by addresses wherever they are named', () => {
  for (const input of [
    { media: [{ source: link }] },
    { media: [{ source: ` ${link}` }] },
    { media: [{ source: '//a.example/page' }] },
    { media: [{ source: link, source_type: 'url' }] },
    { targets: [{ platform_data: { cover: { source: link } } }] },
    { components: [{ parameters: [{ image: { link } }] }] },
    { url: link },
    { cards: [{ image_url: link }] },
    { attachment_url: link },
  ])
    expect(() => refuseFiles(input)).toThrow(Object.keys(input)[0]);
});
