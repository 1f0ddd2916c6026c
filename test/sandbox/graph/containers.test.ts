/** The life of containers, which Instagram and Threads share. */
import { HOUR } from '#kernel/clock.ts';
import { beforeEach, expect, it } from 'vitest';
import {
  containerActs,
  CONTAINER_SETTINGS,
  makeContainers,
  type Container,
  type Containers,
} from '#sandbox/graph/media/containers.ts';
import { makeActs } from '#sandbox/kit/acts.ts';
import { openDocs, type Docs } from '#sandbox/kit/docs.ts';
import { openFiles, type Blob, type Files } from '#sandbox/kit/files.ts';
import { openSettings, type Settings } from '#sandbox/kit/settings.ts';
import { openStore } from '#sandbox/store.ts';
import { fakeClock } from '../../harness/clock.ts';

type Draft = Readonly<{ caption: string }>;
type Kinds = { container: Container<Draft>; blob: Blob };

const clock = fakeClock();
let nodes: Docs<Kinds>;
let settings: Settings<typeof CONTAINER_SETTINGS>;
let files: Files;
let containers: Containers<Draft>;
let act: ReturnType<typeof makeActs>['act'];
beforeEach(() => {
  const store = openStore(':memory:');
  nodes = openDocs<Kinds>(store, 'toy');
  settings = openSettings(store, 'toy', CONTAINER_SETTINGS);
  let last = 0;
  files = openFiles(store, 'toy', { nodes, clock, newId: () => `file${++last}` });
  containers = makeContainers<Draft>({ store, clock, nodes, settings, files });
  const { acts, lists } = containerActs({ store, nodes }, ({ draft }: Container<Draft>) => draft.caption);
  ({ act } = makeActs({ acts, groups: { twin: 'Twin' }, lists }));
});

const open = (more: object = {}) => containers.open({ page_id: 'p', draft: { caption: 'c' }, slow: false, ...more });
const now = (id: string) => containers.status(nodes.get('container', id)!);
const looks = (id: string, times: number) => Array.from({ length: times }, () => containers.look(id));

it('is at once finished, or at work for a time and a number of reads, or until nobody asks any more', () => {
  expect(containers.look(open().id)).toBe('FINISHED');
  settings.set({ container_processing_polls: 2 });
  expect(looks(open({ slow: true }).id, 3)).toEqual(['IN_PROGRESS', 'IN_PROGRESS', 'FINISHED']);
  settings.set({ container_processing_ms: 60_000 });
  const late = open({ slow: true });
  expect(looks(late.id, 4).at(-1)).toBe('IN_PROGRESS');
  clock.move(60_000);
  expect(now(late.id)).toBe('FINISHED');
  const unwatched = open({ slow: true });
  clock.move(89_999);
  expect(now(unwatched.id)).toBe('IN_PROGRESS');
  clock.move(1);
  expect(now(unwatched.id)).toBe('FINISHED');
});

it('fails after its work, and goes after a day unless it was published', () => {
  const failed = open({ slow: true, failure: 'no film' });
  expect(looks(failed.id, 2)).toEqual(['IN_PROGRESS', 'ERROR']);
  expect(containers.publishable(nodes.get('container', failed.id)!)).toBe(false);
  settings.set({ container_failure: 'hostile' });
  expect(nodes.get('container', open().id)).toMatchObject({ failure: 'hostile' });
  settings.reset();
  const [one, other, child] = [open(), open(), open({ is_child: true })];
  expect(containers.publishable(one)).toBe(true);
  expect(containers.publishable(child)).toBe(false);
  containers.published(one.id, 'm1');
  expect(now(one.id)).toBe('PUBLISHED');
  clock.move(24 * HOUR);
  expect([now(one.id), now(other.id)]).toEqual(['PUBLISHED', 'EXPIRED']);
});

it('counts what was made and published of an account within a day, parts of others not', () => {
  const first = open();
  clock.move(23 * HOUR);
  open({ is_child: true });
  containers.published(first.id, 'm1');
  expect(containers.quota('p')).toEqual({ made: 1, published: 1 });
  clock.move(HOUR);
  expect(containers.quota('p')).toEqual({ made: 0, published: 1 });
  expect(containers.quota('other')).toEqual({ made: 0, published: 0 });
});

it('waits for a file that the upload host takes', async () => {
  const { id: blob } = files.open('film');
  const { id } = open({ blob, uploaded: false, slow: true });
  const uploads = containers.uploads('ig-api-upload', { scopes: [], task: '' }, () => undefined);
  expect(looks(id, 3).at(-1)).toBe('IN_PROGRESS');
  expect(uploads.find(id)).toMatchObject({ id, blob, received: 0, uploaded: false });
  expect(uploads.find(open().id)).toBeUndefined();
  files.write(blob, 0, Buffer.from('film'));
  uploads.change(id, { received: 4, file_size: 4 });
  await uploads.uploaded(id);
  expect(uploads.find(id)).toMatchObject({ uploaded: true, file_size: 4 });
  expect(looks(id, 2)).toEqual(['IN_PROGRESS', 'FINISHED']);
});

it.each([
  ['FINISHED', undefined],
  ['ERROR', 'bad film'],
  ['EXPIRED', undefined],
])('is ended as %s by the console', async (as, failure) => {
  const { id } = open({ slow: true });
  await act('end_container', { container: id, as, ...(failure !== undefined && { failure }) });
  expect(now(id)).toBe(as);
  expect(nodes.get('container', id)?.failure).toBe(failure);
});
