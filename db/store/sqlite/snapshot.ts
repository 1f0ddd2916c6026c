import Database from 'better-sqlite3';
import { CANARY } from '../../schema/sealed.ts';
import { SQLITE_DAMAGE } from '../availability.ts';
import { HOME } from '../settings.ts';
import { StoreError } from '../store-error.ts';
import { makePrivate } from './handle.ts';

/** What a database says about itself: its schema, a value to test the master key, and where it was used. */
export type StoreSummary = Readonly<{
  schemaVersion: number;
  sealed: string | undefined;
  home: string | undefined;
}>;

/** Copies a database as it is at one moment; it may be in use. */
export function copySqlite(file: string, target: string): void {
  const source = new Database(file, { readonly: true, fileMustExist: true });
  try {
    makePrivate(target);
    source.prepare('vacuum into ?').run(target);
  } finally {
    source.close();
  }
}

/** Reads the summary of a copy. */
export function summaryOfSqlite(file: string): StoreSummary {
  const handle = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const version = handle.prepare<[], number>('select max(version) from schema_migrations').pluck().get();
    const setting = handle.prepare<[string], string>('select value from settings where name = ?').pluck();
    return { schemaVersion: version ?? 0, sealed: setting.get(CANARY.name), home: setting.get(HOME) };
  } finally {
    handle.close();
  }
}

/** What is damaged in a database file; undefined if nothing is. */
export function faultOfSqlite(file: string, how: 'quick_check' | 'integrity_check'): string | undefined {
  const handle = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const found = handle.pragma(`${how}(3)`, { simple: false }) as Record<string, string>[];
    const faults = found.flatMap((row) => Object.values(row)).filter((line) => line !== 'ok');
    return faults.length === 0 ? undefined : faults.join('; ');
  } catch (error) {
    // A file that cannot be opened or read is not damaged for that.
    if (!SQLITE_DAMAGE.test((error as { code?: string }).code ?? '')) throw error;
    return (error as Error).message;
  } finally {
    handle.close();
  }
}

/** Writes settings into a copy that no server is using. */
export function settleSqlite(file: string, settings: Readonly<Record<string, string>>): void {
  const handle = new Database(file, { fileMustExist: true });
  try {
    const write = handle.prepare(
      'insert into settings (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
    );
    for (const [name, value] of Object.entries(settings)) write.run(name, value);
  } catch (error) {
    throw new StoreError(`the copy ${file} cannot be written: ${(error as Error).message}`, { cause: error });
  } finally {
    handle.close();
  }
}
