export function pathOf(program: string): string | undefined;
