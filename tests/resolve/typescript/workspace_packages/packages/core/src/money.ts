export const round = (n: number) => n;
