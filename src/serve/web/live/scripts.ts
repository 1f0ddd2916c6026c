import { join } from 'node:path';
import { sendDocument, staticDocument, type StaticDocument } from '#kernel/document.ts';
import { fail } from '#kernel/errors.ts';
import type { Route } from '#kernel/route.ts';
import { loadBundle } from './bundle.ts';

const FOLDER = '/assets/dashboard';

export type PageScripts = Readonly<{ script: string; imports: readonly string[] }>;

type Loaded = Readonly<{ pages: ReadonlyMap<string, PageScripts>; files: ReadonlyMap<string, StaticDocument> }>;

/** The scripts of the live pages, read on the first request. */
export function makeScripts(root: string) {
  let loading: Promise<Loaded> | undefined;
  function loaded(): Promise<Loaded> {
    loading ??= load(root).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }

  const route: Route = {
    path: `${FOLDER}/{file}`,
    trailingSlash: false,
    async GET(ctx, { file }) {
      const document = (await loaded()).files.get(file!) ?? fail('http.404');
      await sendDocument(ctx, document, {
        // The file name changes with the content.
        'Cache-Control': 'public, max-age=31536000, immutable',
        'X-Content-Type-Options': 'nosniff',
      });
    },
  };

  return Object.freeze({
    route,
    async of(name: string): Promise<PageScripts> {
      return (await loaded()).pages.get(name)!;
    },
  });
}

export type Scripts = ReturnType<typeof makeScripts>;

async function load(root: string): Promise<Loaded> {
  const { pages, files, sources } = await loadBundle(root);
  // Under `npm run dev`, Node's watcher restarts the server when one of these files changes.
  process.send?.({ 'watch:require': sources.map(([path]) => join(root, path)) });
  const at = (file: string) => `${FOLDER}/${file}`;
  return {
    pages: new Map(pages.map(({ name, script, imports }) => [name, { script: at(script), imports: imports.map(at) }])),
    files: new Map(files.map(([name, code]) => [name, staticDocument('text/javascript; charset=utf-8', code)])),
  };
}
