/** Stores articles and videos, which are processed asynchronously. */
import type { Article, Fields, Job } from './docs.ts';
import { newId, type World } from './world.ts';

export type Articles = ReturnType<typeof makeArticles>;

export function makeArticles({ docs, options, settings, hosts }: World) {
  const { clock, store } = options;
  const get = (id: string): Article | undefined => docs.getLive('article', id);

  /** The history of an article as readers see it. */
  function versionsOf(before: Article | undefined, { body, status }: Pick<Article, 'body' | 'status'>) {
    const past = before?.versions ?? [];
    const at = clock.now();
    const last = past.at(-1)?.action;
    const isPublic = last !== undefined && last !== 'delete';
    if (status === 'show') return [...past, { action: isPublic ? 'update' : 'create', at, record: body } as const];
    return isPublic ? [...past, { action: 'delete', at, record: body } as const] : past;
  }

  function apply(job: Job): void {
    const { article: id, body, page_id, ready_at, failure } = job;
    docs.change('job', job.id, { isDone: true });
    if (failure !== undefined) return;
    const before = get(id);
    if (before === undefined && docs.get('article', id) !== undefined) return;
    const status = body['status'] === 'show' ? 'show' : 'hide';
    docs.put('article', {
      ...(before ?? { id, at: ready_at, page_id, views: 0, likes: 0 }),
      type: body['type'] === 'video' ? 'video' : 'normal',
      body,
      status,
      changed_at: ready_at,
      versions: versionsOf(before, { body, status }),
    });
  }

  return Object.freeze({
    get,
    of: (account: string) => docs.listLive('article', { page: account }),
    /** All articles that were ever published. */
    published: (account?: string) =>
      docs
        .list('article', account === undefined ? {} : { page: account })
        .filter(({ versions }) => versions.length > 0),
    linkOf: ({ id }: Pick<Article, 'id'>) => `${hosts.www()}/detail/${id}`,
    /** Starts processing an article and returns its token. Inside a transaction. */
    begin(account: string, body: Fields, id = newId()): string {
      const failure = settings.get('article_failure');
      const ready_at = clock.now() + settings.get('article_ms');
      const job = { id: newId(), at: clock.now(), page_id: account, article: id, body, ready_at };
      return docs.put('job', { ...job, ...(failure !== '' && { failure }) }).id;
    },
    remove(article: Article): void {
      const versions = versionsOf(article, { body: article.body, status: 'hide' });
      docs.change('article', article.id, { deleted_at: clock.now(), versions });
    },
    due(): void {
      const ready = docs.list('job').filter(({ isDone, ready_at }) => isDone !== true && ready_at <= clock.now());
      if (ready.length > 0) store.write(() => ready.forEach(apply));
    },
  });
}
