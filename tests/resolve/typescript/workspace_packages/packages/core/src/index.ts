export class Cart { total() {} }
