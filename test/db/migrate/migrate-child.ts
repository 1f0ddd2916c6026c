import { openStore } from '#db/store/open.ts';
import { rebuild } from './rebuild-migrations.ts';

/** A process that opens a database and, if asked to, dies in the middle of its second migration. */
const [file, end] = process.argv.slice(2) as [string, string];

const migrations = rebuild(async () => {
  if (end === 'kill') process.kill(process.pid, 'SIGKILL');
  await new Promise(() => {});
});

const store = await openStore({ file, migrations: end === 'open' ? rebuild() : migrations });
await store.close();
