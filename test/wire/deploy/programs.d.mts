export function pathOf(program: string): string | undefined;
export const PYTHON: Readonly<Record<string, string>>;
