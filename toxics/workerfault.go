package toxics
