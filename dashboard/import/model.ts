import { computed, signal } from '@preact/signals';
import { LARGEST_IMPORT_BYTES } from '#kernel/limits/sizes.ts';
import { sizeOf } from '#kernel/people/size.ts';
import { isFinal, messageForPeople } from '../lib/call.ts';
import type { ImportReport } from '../lib/operations.ts';

export type RowError = ImportReport['errors'][number];

/** Sends a file to be checked or imported. `onShare` gets the share that has been sent, from 0 to 1. */
export type SendImport = (
  file: File,
  how: Readonly<{ isCheck: boolean; key: string; onShare(share: number): void }>,
) => Promise<ImportReport>;

type Step =
  | Readonly<{ name: 'choosing' }>
  | Readonly<{ name: 'checking'; file: File; share: number }>
  | Readonly<{ name: 'importing'; file: File; share: number }>
  | Readonly<{ name: 'checked'; file: File; report: ImportReport }>
  | Readonly<{ name: 'imported'; file: File; report: ImportReport }>;

/** The step while it has this name. */
export type StepOf<Name extends Step['name']> = Extract<Step, Readonly<{ name: Name }>>;

type ImportDeps = Readonly<{ send: SendImport; newKey(): string; zone: string }>;

/** How many refused rows are shown at first. */
const SHOWN = 50;

/** The import of one file at a time: it is checked, and imported when the person says so. */
export function makeImport({ send, newKey, zone }: ImportDeps) {
  const step = signal<Step>({ name: 'choosing' });
  const problem = signal<string | undefined>(undefined);
  const isWhole = signal(false);
  /** The Idempotency-Key of the import. It stays until the import is settled, so that no post is created twice. */
  let key = newKey();
  let turn = 0;

  function begin(next: Step): number {
    problem.value = undefined;
    isWhole.value = false;
    step.value = next;
    turn += 1;
    return turn;
  }

  const sharing = (name: 'checking' | 'importing', file: File, mine: number) => (share: number) => {
    if (mine === turn) step.value = { name, file, share };
  };

  return {
    step: computed(() => step.value),
    /** Why the last file or import failed. */
    problem: computed(() => problem.value),

    /** The refused rows to show, with messages for people, and how many more there are in the answer. */
    errors: computed((): Readonly<{ shown: readonly RowError[]; more: number }> => {
      const all = 'report' in step.value ? step.value.report.errors : [];
      const shown = isWhole.value ? all : all.slice(0, SHOWN);
      const words = ({ message, ...error }: RowError) => ({ ...error, message: messageForPeople(message, zone) });
      return { shown: shown.map(words), more: all.length - shown.length };
    }),
    showAll: () => void (isWhole.value = true),

    /** Checks every row of a file. A file that is chosen meanwhile takes its place. */
    async check(chosen: File): Promise<void> {
      if (step.value.name === 'importing') return;
      const mine = begin({ name: 'checking', file: chosen, share: 0 });
      key = newKey();
      try {
        if (chosen.size > LARGEST_IMPORT_BYTES) {
          throw new Error(
            `${chosen.name} is larger than ${sizeOf(LARGEST_IMPORT_BYTES)}. Split it into several files.`,
          );
        }
        // Its content is kept, so that what is imported is what was checked.
        const file = new File([await chosen.arrayBuffer()], chosen.name, { type: 'text/csv' });
        const report = await send(file, { isCheck: true, key: newKey(), onShare: sharing('checking', file, mine) });
        if (mine === turn) step.value = { name: 'checked', file, report };
      } catch (error) {
        if (mine !== turn) return;
        step.value = { name: 'choosing' };
        problem.value = (error as Error).message;
      }
    },

    /** Imports the checked file. If no answer came, calling it again continues the import. */
    async run(): Promise<void> {
      if (step.value.name !== 'checked') return;
      const checked = step.value;
      const { file } = checked;
      const mine = begin({ name: 'importing', file, share: 0 });
      try {
        const report = await send(file, { isCheck: false, key, onShare: sharing('importing', file, mine) });
        step.value = { name: 'imported', file, report };
      } catch (error) {
        step.value = checked;
        if (isFinal(error)) key = newKey();
        problem.value = isFinal(error)
          ? (error as Error).message
          : `${(error as Error).message} Some posts may exist already. Import again: it continues, and creates nothing twice.`;
      }
    },
  };
}
