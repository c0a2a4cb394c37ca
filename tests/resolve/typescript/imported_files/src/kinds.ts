export type Kind = 'a' | 'b';
