import type { JSX } from 'preact';

const KEPT_MS = 60_000;

type SaveProps = Readonly<{ what: string; name: string; make(): string }>;

/** A button that saves the shown numbers as a CSV file. */
export function Save({ what, name, make }: SaveProps): JSX.Element {
  function save(): void {
    const address = URL.createObjectURL(new Blob([make()], { type: 'text/csv;charset=utf-8' }));
    const link = document.createElement('a');
    link.href = address;
    link.download = name;
    link.click();
    // Some browsers read the file only after the click has been handled.
    setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
  }
  return (
    <button type="button" class="small" onClick={save}>
      Save {what} as CSV
    </button>
  );
}
